import { beforeEach, expect, test } from "vitest";

import { nameOf, taskIdOf, taskOf, tasksOf } from "../../../src/commands/arguments.js";
import { failureText } from "../../../src/commands/history/failedTasks.js";
import type { GetParams } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";
import { asyncTask, storedTask } from "../tasks.js";

const asked: GetParams[] = [];
const service = {
  request: (_: string, params: GetParams) => {
    asked.push(params);
    const { taskId } = params;
    return Promise.resolve({ task: storedTask(taskId, { title: `Stored ${taskId}` }) });
  },
} as unknown as Pick<SubagentService, "request">;

beforeEach(() => {
  asked.length = 0;
});

test("a command on a selected row acts on all that are selected, but for rows of no task", async () => {
  const [one, two] = [storedTask("t1"), storedTask("t2")];
  expect(await tasksOf(service, one, [one, Symbol("more"), two])).toEqual([one, two]);
  expect(asked).toEqual([]);
});

test("a command on a row outside the selection acts on that row", async () => {
  const [one, two] = [storedTask("t1"), storedTask("t2")];
  expect(await tasksOf(service, one, [two])).toEqual([one]);
});

test("a command on a row of the list acts on all that the list names with it", async () => {
  const [one, two] = [storedTask("t1"), storedTask("t2")];
  const target = { ...one, selection: [one, two] };
  expect(await tasksOf(service, target, undefined)).toEqual([one, two]);
});

test("the title of what has none is asked for", async () => {
  expect(await tasksOf(service, "t7", undefined)).toMatchObject([{ title: "Stored t7" }]);
  expect(await tasksOf(service, asyncTask("t8"), undefined)).toMatchObject([{ id: "t8" }]);
  expect(await tasksOf(service, undefined, undefined)).toEqual([]);
});

test("a row names its task by the root too, an id or a run by the id alone", () => {
  const row = storedTask("t1", { root: "/two" });
  expect(taskOf(row)).toEqual({ id: "t1", root: "/two" });
  expect(taskOf("t1")).toEqual({ id: "t1" });
  expect(taskOf(asyncTask("t1"))).toEqual({ id: "t1" });
  expect(taskOf(Symbol("more"))).toBeUndefined();
});

test("what is known of the root is kept where the title is asked for", async () => {
  await tasksOf(service, { id: "t9", root: "/two" }, undefined);
  await tasksOf(service, "t9", undefined);
  expect(asked.slice(-2)).toEqual([{ taskId: "t9", root: "/two" }, { taskId: "t9" }]);
});

test("one task is named, several are counted", () => {
  expect(nameOf([storedTask("t1", { title: "Read [it](x)\n" })])).toBe("“Read [it] (x)”");
  expect(nameOf([storedTask("t1", { title: "" })])).toBe("“(untitled)”");
  expect(nameOf([storedTask("t1"), storedTask("t2")])).toBe("2 tasks");
});

test("of many tasks that were left the first are named", () => {
  const left = Array.from({ length: 10 }, (_, at) => ({
    task: { id: `t${at}`, title: `No. ${at}` },
    reason: "no",
  }));
  expect(failureText(left)).toMatch(/^“No. 0”: no; .*“No. 7”: no; and 2 more$/u);
});

test("a task is named by its id or by its row", () => {
  expect(taskIdOf("abc")).toBe("abc");
  expect(taskIdOf(asyncTask("abc"))).toBe("abc");
  expect([undefined, null, "", {}, 7, { id: 7 }].map(taskIdOf)).toEqual(Array(6).fill(undefined));
});
