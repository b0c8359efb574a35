import { expect, test } from "vitest";

import { pipEnvironment, sidecarEnvironment } from "../../../src/service/environmentVariables.js";

test("the sidecar inherits the window's environment, without what steers the editor", () => {
  const inherited = { HOME: "/home/me", ELECTRON_RUN_AS_NODE: "1", VSCODE_IPC_HOOK: "x" };
  expect(sidecarEnvironment(inherited)).toEqual({ HOME: "/home/me" });
});

test("pip goes through the editor's proxy unless the environment names one", () => {
  expect(pipEnvironment({}, "http://proxy")).toEqual({ HTTPS_PROXY: "http://proxy" });
  const own = { https_proxy: "http://own" };
  expect(pipEnvironment(own, "http://proxy")).toEqual(own);
});
