import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { Uri, workspace } from "vscode";
import { afterEach, beforeEach, expect, test } from "vitest";

import { rowOf } from "../../../src/panel/runRow.js";
import { exampleIn, exampleProject } from "../../../src/service/example.js";
import { EXAMPLE_RUNNER } from "../../../src/exampleNames.js";
import { asyncTask } from "../tasks.js";

const EXTENSION = fileURLToPath(new URL("../../..", import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "example-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  Object.assign(workspace, { workspaceFolders: undefined });
});

test("the example works on a copy of its project, which is as at first each time", async () => {
  const project = await exampleProject(EXTENSION, path.join(folder, "new/example"));
  const file = path.join(project, "prices.py");
  const original = readFileSync(file, "utf8");
  writeFileSync(file, "changed");
  writeFileSync(path.join(project, "left.txt"), "over");
  await exampleProject(EXTENSION, project);
  expect(readFileSync(file, "utf8")).toBe(original);
  expect(() => readFileSync(path.join(project, "left.txt"))).toThrow("ENOENT");
});

test("the example may be started several times at once", async () => {
  const project = path.join(folder, "example");
  await Promise.all([1, 2, 3].map(() => exampleProject(EXTENSION, project)));
  expect(readFileSync(path.join(project, "prices.py"), "utf8")).not.toBe("");
});

test("the definition of the example names its runner, and asks before edits", () => {
  const { directory, runnerName } = exampleIn(EXTENSION, "python3");
  const definition = readFileSync(path.join(directory, "tour.md"), "utf8");
  expect(definition).toContain(`runner: ${runnerName}\n`);
  expect(definition).toContain("permissions: ask\n");
});

test("a run of the example is listed in every window, as it belongs to no workspace", () => {
  Object.assign(workspace, { workspaceFolders: [{ uri: Uri.file("/w") }] });
  const elsewhere = { workspaceDir: "/elsewhere/example" };
  expect(rowOf(asyncTask("a", { ...elsewhere, runner: EXAMPLE_RUNNER })).folder).toBeUndefined();
  expect(rowOf(asyncTask("b", elsewhere)).folder).toBe("example");
});
