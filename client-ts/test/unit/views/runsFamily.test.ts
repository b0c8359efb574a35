import { expect, test } from "vitest";

import type { AsyncTask } from "../../../src/protocol.js";
import { childrenOf, parentOf } from "../../../src/views/runsFamily.js";

const task = (id: string, parentTaskId?: string): AsyncTask =>
  ({ id, ...(parentTaskId === undefined ? {} : { parentTaskId }) }) as AsyncTask;
const tasks = new Map(
  [task("new"), task("leaf", "child"), task("child", "old"), task("old"), task("x", "gone")].map(
    (each) => [each.id, each],
  ),
);
const ids = (found: AsyncTask[]): string[] => found.map((each) => each.id);

test("runs are below the run that launched them, at any depth", () => {
  expect(ids(childrenOf(tasks, task("old")))).toEqual(["child"]);
  expect(ids(childrenOf(tasks, task("child", "old")))).toEqual(["leaf"]);
});

test("a run whose parent is not known is at the top", () => {
  expect(ids(childrenOf(tasks))).toEqual(["new", "old", "x"]);
  expect(parentOf(tasks, task("x", "gone"))).toBeUndefined();
});
