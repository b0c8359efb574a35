import { expect, test } from "vitest";

import { TaskTable } from "../../../src/runs/taskTable.js";
import { MOST_ENDED } from "../../../src/runs/newestRuns.js";
import { asyncTask } from "../tasks.js";

function ids(table: TaskTable): string[] {
  return [...table.tasks.keys()];
}

test("tasks are listed by launch, newest first, whatever the order they come in", () => {
  const table = new TaskTable();
  table.take([asyncTask("old", { launchedAt: 1 }), asyncTask("new", { launchedAt: 3 })]);
  table.put(asyncTask("middle", { launchedAt: 2 }));
  expect(ids(table)).toEqual(["new", "middle", "old"]);
});

test("a queued task keeps its place when it starts", () => {
  const table = new TaskTable();
  table.take([asyncTask("first", { queuedAt: 1 }), asyncTask("second", { launchedAt: 2 })]);
  table.put(asyncTask("first", { queuedAt: 1, launchedAt: 9 }));
  expect(ids(table)).toEqual(["second", "first"]);
});

test("removed tasks are gone, and unknown ones are ignored", () => {
  const table = new TaskTable();
  table.take([asyncTask("a"), asyncTask("b")]);
  expect(table.remove(["b", "unknown"])).toEqual(["b"]);
  expect(ids(table)).toEqual(["a"]);
});

test("a page tells which tasks are new or changed", () => {
  const table = new TaskTable();
  table.take([asyncTask("a"), asyncTask("b")]);
  const changed = table.take([asyncTask("a"), asyncTask("b", { status: "failed" })]);
  expect(changed.map((task) => task.id)).toEqual(["b"]);
});

test("a read forgets what the list no longer has, at its end", () => {
  const table = new TaskTable();
  table.take([asyncTask("gone"), asyncTask("kept")]);
  const read = table.beginRead();
  table.take([asyncTask("kept")]);
  expect(ids(table)).toEqual(["gone", "kept"]);
  table.endRead(read);
  expect(ids(table)).toEqual(["kept"]);
});

test("what is notified between two pages outlasts the read", () => {
  const table = new TaskTable();
  const read = table.beginRead();
  table.take([asyncTask("first", { launchedAt: 2 })]);
  table.put(asyncTask("first", { launchedAt: 2, status: "failed" }));
  table.put(asyncTask("launched", { launchedAt: 3 }));
  table.take([asyncTask("second", { launchedAt: 1 })]);
  table.endRead(read);
  expect(ids(table)).toEqual(["launched", "first", "second"]);
  expect(table.tasks.get("first")?.status).toBe("failed");
});

test("the end of a read that another one has overtaken forgets nothing", () => {
  const table = new TaskTable();
  const overtaken = table.beginRead();
  const read = table.beginRead();
  table.take([asyncTask("a")]);
  table.endRead(overtaken);
  table.take([asyncTask("b")]);
  table.endRead(read);
  expect(ids(table)).toEqual(["a", "b"]);
});

test("all live tasks are kept, however old, and the newest of those that ended", () => {
  const table = new TaskTable();
  const ended = Array.from({ length: MOST_ENDED + 1 }, (_, at) =>
    asyncTask(`ended ${at}`, { status: "completed", launchedAt: 10 + at }),
  );
  table.take([asyncTask("oldest", { launchedAt: 1 }), ...ended]);
  expect(table.tasks.size).toBe(MOST_ENDED + 1);
  expect(table.tasks.has("oldest")).toBe(true);
  expect(table.tasks.has("ended 0")).toBe(false);
});
