// The lines that stored tasks in view changed, read from a sidecar that the test answers for, under a false clock.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { LineCounts } from "../../../src/agents/lineCounts.js";
import type { StoredChanges } from "../../../src/panel/listMessages.js";
import type { GetParams, TaskInfo, TouchedFile } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";
import type { TaskRef } from "../../../src/taskRef.js";
import { storedTask } from "../tasks.js";

const EDITED: TouchedFile = { path: "a.py", actions: ["edited"], additions: 2, deletions: 1 };
const COUNTED = { files: 1, additions: 2, deletions: 1 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The counts of a list, and the requests that wait for an answer. */
function counted(tasks: TaskInfo[]) {
  const waiting: { id: string; answer: (files: TouchedFile[] | Error) => void }[] = [];
  const asked: string[] = [];
  const request = (_: string, { taskId }: GetParams): Promise<unknown> => {
    asked.push(taskId);
    return new Promise((resolve, reject) => {
      const answer = (files: TouchedFile[] | Error): void => {
        if (files instanceof Error) {
          reject(files);
        } else {
          resolve({ taskId, files, revision: 1 });
        }
      };
      waiting.push({ id: taskId, answer });
    });
  };
  const service = { request } as unknown as SubagentService;
  const tasksOf = (refs: readonly TaskRef[]) =>
    tasks.filter(({ id }) => refs.some((ref) => ref.id === id));
  const lines = new LineCounts(service, tasksOf);
  const posted: StoredChanges[] = [];
  lines.show((changes) => posted.push(...changes));
  const look = (...ids: string[]): void => {
    lines.look(ids.map((id) => ({ id, root: "/root" })));
  };
  const answer = async (files: TouchedFile[] | Error = [EDITED]): Promise<void> => {
    waiting.shift()?.answer(files);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { lines, asked, posted, look, answer };
}

function sized(...sizes: number[]): TaskInfo[] {
  return sizes.map((sizeBytes, at) => storedTask(`t${at}`, { sizeBytes, lastActivity: 1 }));
}

test("tasks in view are asked for two at a time, the smallest first", async () => {
  const { asked, posted, look, answer } = counted(sized(300, 100, 200, 400));
  look("t0", "t1", "t2", "t3");
  expect(asked).toEqual(["t1", "t2"]);
  await answer();
  expect(asked).toEqual(["t1", "t2", "t0"]);
  expect(posted).toEqual([{ id: "t1", root: "/root", changes: COUNTED }]);
});

test("a task that left the view before its turn is not asked for", async () => {
  const { asked, look, answer } = counted(sized(1, 2, 3, 4));
  look("t0", "t1", "t2");
  look("t3");
  await answer();
  await answer();
  expect(asked).toEqual(["t0", "t1", "t3"]);
});

test("a task that comes back into view is shown from memory", async () => {
  const { asked, posted, look, answer } = counted(sized(1, 2));
  look("t0");
  await answer();
  look("t1");
  await answer([]);
  look("t0", "t1");
  expect(asked).toEqual(["t0", "t1"]);
  expect(posted.slice(-2)).toEqual([
    { id: "t0", root: "/root", changes: COUNTED },
    { id: "t1", root: "/root" },
  ]);
});

test("a large task is not asked for", () => {
  const { asked, look } = counted(sized(10_000_001, 10_000_000));
  look("t0", "t1");
  expect(asked).toEqual(["t1"]);
});

test("a task that keeps changing is asked for again every ten seconds, and keeps its lines meanwhile", async () => {
  const tasks = sized(1);
  const { lines, asked, posted, look, answer } = counted(tasks);
  look("t0");
  await answer();
  for (let second = 1; second < 25; second += 1) {
    tasks[0] = storedTask("t0", { sizeBytes: 1, lastActivity: 1 + second });
    lines.update();
    await answer([{ ...EDITED, additions: 2 + second }]);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(asked).toHaveLength(3);
  expect(posted.every(({ changes }) => changes !== undefined)).toBe(true);
});

test("a file that was only read does not count", async () => {
  const { posted, look, answer } = counted(sized(1));
  look("t0");
  await answer([{ ...EDITED, actions: ["read", "mentioned"] }]);
  expect(posted).toEqual([{ id: "t0", root: "/root" }]);
});

test("a task whose request failed is asked for again when the list changes", async () => {
  const { lines, asked, posted, look, answer } = counted(sized(1));
  look("t0");
  await answer(new Error("The sidecar is restarting."));
  expect(posted).toEqual([]);
  lines.update();
  await answer();
  expect(asked).toEqual(["t0", "t0"]);
  expect(posted).toHaveLength(1);
});

test("a hidden page causes no more requests", async () => {
  const { lines, asked, posted, look, answer } = counted(sized(1, 2, 3));
  look("t0", "t1", "t2");
  lines.hide();
  await answer();
  lines.update();
  expect(asked).toEqual(["t0", "t1"]);
  expect(posted).toEqual([]);
});
