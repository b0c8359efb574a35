import { expect, test } from "vitest";

import { diagnosticsText, withoutHome } from "../../../src/service/diagnostics.js";

test("diagnostics name neither the user nor values of settings", () => {
  expect(withoutHome("/home/me/x and /home/me", "/home/me")).toBe("~/x and ~");
  const facts = { extension: "1", editor: "e", system: "s", remote: "none", state: "running" };
  const rest = { trusted: true, folders: 1, environment: {}, sidecar: {}, health: "not asked" };
  const text = diagnosticsText({ ...facts, ...rest, settings: ["subagentSidecar.runners"] });
  expect(text).toContain('settings: ["subagentSidecar.runners"]');
});
