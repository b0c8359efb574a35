import { beforeEach, expect, test } from "vitest";

import { sidecarCommands } from "../../../src/commands/sidecar.js";
import { shown } from "../../vscode.js";

type Context = Parameters<typeof sidecarCommands>[0];

beforeEach(() => {
  shown.answers = [];
  shown.settings = {};
  shown.openedIn = undefined;
});

async function selectPython(answer?: string): Promise<void> {
  shown.answers = answer === undefined ? [] : [answer];
  await sidecarCommands({} as Context)["subagentSidecar.environment.selectPython"]();
}

test("an interpreter is selected where the present one is", async () => {
  shown.settings = { pythonPath: "/opt/python3.11/bin/python3" };
  await selectPython("/opt/python3.12/bin/python3");
  expect(shown.openedIn).toBe("/opt/python3.11/bin");
  expect(shown.settings["pythonPath"]).toBe("/opt/python3.12/bin/python3");
});

test("without an interpreter in a folder, the editor decides where to select one", async () => {
  shown.settings = { pythonPath: "python3" };
  await selectPython();
  expect(shown.openedIn).toBeUndefined();
  expect(shown.settings).toEqual({ pythonPath: "python3" });
});
