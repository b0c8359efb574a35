// Test files share a process. Each file starts with a fresh editor, clock and environment.
import { afterAll, vi } from "vitest";

import { resetEditor } from "../vscode.js";

resetEditor();

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
