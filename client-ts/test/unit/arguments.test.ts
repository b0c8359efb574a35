import { expect, test } from "vitest";

import { nameOf, tasksOf } from "../../src/commands/arguments.js";
import { leftText } from "../../src/commands/leftTasks.js";
import type { SubagentService } from "../../src/service.js";
import { asyncTask, storedTask } from "./tasks.js";

const asked: string[] = [];
const service = {
  request: (_: string, { taskId }: { taskId: string }) => {
    asked.push(taskId);
    return Promise.resolve({ task: storedTask(taskId, { title: `Stored ${taskId}` }) });
  },
} as unknown as Pick<SubagentService, "request">;

test("a command on a selected row acts on all that are selected, but for rows of no task", async () => {
  const [one, two] = [storedTask("t1"), storedTask("t2")];
  expect(await tasksOf(service, one, [one, Symbol("more"), two])).toEqual([one, two]);
  expect(asked).toEqual([]);
});

test("a command on a row beside the selection acts on that row", async () => {
  const [one, two] = [storedTask("t1"), storedTask("t2")];
  expect(await tasksOf(service, one, [two])).toEqual([one]);
});

test("the title of what has none is asked for", async () => {
  expect(await tasksOf(service, "t7", undefined)).toMatchObject([{ title: "Stored t7" }]);
  expect(await tasksOf(service, asyncTask("t8"), undefined)).toMatchObject([{ id: "t8" }]);
  expect(await tasksOf(service, undefined, undefined)).toEqual([]);
});

test("one task is named, several are counted", () => {
  expect(nameOf([storedTask("t1", { title: "Look at [it](x)\n" })])).toBe("“Look at [it] (x)”");
  expect(nameOf([storedTask("t1", { title: "" })])).toBe("“(untitled)”");
  expect(nameOf([storedTask("t1"), storedTask("t2")])).toBe("2 tasks");
});

test("of many tasks that were left the first are named", () => {
  const left = Array.from({ length: 10 }, (_, at) => ({
    task: { id: `t${at}`, title: `No. ${at}` },
    reason: "no",
  }));
  expect(leftText(left)).toMatch(/^“No. 0”: no; .*“No. 7”: no; and 2 more$/u);
});
