import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { kindOf, questionLine, waitingRuns } from "../../src/questions.js";
import { isInside } from "../../src/showFile.js";
import { unlinked } from "../../src/words.js";
import { asyncTask } from "./tasks.js";

const ATTENTION = { kind: "permission" as const, requestId: "r", title: "Run\n it", options: [] };

test("the runs that wait are those that ask and still run", () => {
  const runs = [
    asyncTask("a", { attention: ATTENTION }),
    asyncTask("b"),
    asyncTask("c", { attention: ATTENTION, status: "cancelled" }),
  ];
  const waiting = waitingRuns({ tasks: new Map(runs.map((run) => [run.id, run])) });
  expect(waiting.map(({ id }) => id)).toEqual(["a"]);
  expect(waiting.map((run) => questionLine(run, 50))).toEqual(["reviewer asks: Run it"]);
});

test("what an answer means is told by its kind, not by its name", () => {
  const option = { optionId: "1", name: "Never mind", kind: "allow_always" };
  expect(kindOf(option)[1]).toMatch(/^Allow this from now on/u);
  expect(kindOf({ ...option, kind: "constructor_once" })[1]).toMatch(/does not say/u);
});

test("a notification makes no link of a model's words", () => {
  expect(unlinked("[x](command:evil)")).toBe("[x] (command:evil)");
});

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "inside-"));
  await mkdir(path.join(folder, "workspace/src"), { recursive: true });
  await writeFile(path.join(folder, "workspace/src/a"), "");
  await writeFile(path.join(folder, "secret"), "");
  await symlink(path.join(folder, "secret"), path.join(folder, "workspace/link"));
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ["workspace/src/a", true],
  ["workspace/../secret", false],
  ["workspace/link", false],
  ["workspace/none", false],
  ["workspace", false],
])("whether %j is in the workspace: %j", async (file, inside) => {
  expect(await isInside(path.join(folder, file), [path.join(folder, "workspace")])).toBe(inside);
});
