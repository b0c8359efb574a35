import { expect, test } from "vitest";

import { TaskTable } from "../../../src/service/taskTable.js";
import { asyncTask } from "../tasks.js";

function ids(table: TaskTable): string[] {
  return [...table.tasks.keys()];
}

test("tasks are listed by launch, newest first, whatever the order they come in", () => {
  const table = new TaskTable();
  table.replace([asyncTask("old", { launchedAt: 1 }), asyncTask("new", { launchedAt: 3 })]);
  table.put(asyncTask("middle", { launchedAt: 2 }));
  expect(ids(table)).toEqual(["new", "middle", "old"]);
});

test("a queued task keeps its place when it starts", () => {
  const table = new TaskTable();
  table.replace([asyncTask("first", { queuedAt: 1 }), asyncTask("second", { launchedAt: 2 })]);
  table.put(asyncTask("first", { queuedAt: 1, launchedAt: 9 }));
  expect(ids(table)).toEqual(["second", "first"]);
});

test("removed tasks are gone, and unknown ones are ignored", () => {
  const table = new TaskTable();
  table.replace([asyncTask("a"), asyncTask("b")]);
  expect(table.remove(["b", "unknown"])).toEqual(["b"]);
  expect(ids(table)).toEqual(["a"]);
});

test("replacing tells which tasks are new or changed", () => {
  const table = new TaskTable();
  table.replace([asyncTask("a"), asyncTask("b")]);
  const changed = table.replace([asyncTask("a"), asyncTask("b", { status: "failed" })]);
  expect(changed.map((task) => task.id)).toEqual(["b"]);
});
