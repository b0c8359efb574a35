// Files of tests share a process. Each begins with the editor, the clock and the environment as at first.
import { afterAll, vi } from "vitest";

import { resetEditor } from "../vscode.js";

resetEditor();

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
