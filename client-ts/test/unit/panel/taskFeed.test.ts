import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { TaskFeed } from "../../../src/panel/taskFeed.js";
import type { AsyncTask } from "../../../src/protocol.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function task(toolCalls: number, changes: Partial<AsyncTask> = {}): AsyncTask {
  return {
    id: "t1",
    subagentName: "s",
    goalPrompt: "g",
    status: "running",
    progress: { turns: 0, toolCalls, lastActivityAt: 1 },
    runner: "r",
    workspaceDir: "/w",
    ...changes,
  };
}

function fed() {
  const posted: AsyncTask[] = [];
  const feed = new TaskFeed((each) => posted.push(each));
  return { posted, feed };
}

test("mere progress is sent now and then, the newest of it", () => {
  const { posted, feed } = fed();
  for (let calls = 1; calls <= 100; calls += 1) {
    feed.changed(task(calls));
  }
  vi.advanceTimersByTime(1_000);
  expect(posted.map(({ progress }) => progress.toolCalls)).toEqual([1, 100]);
});

test("an end is sent at once, and nothing older after it", () => {
  const { posted, feed } = fed();
  feed.changed(task(1));
  feed.changed(task(2));
  feed.changed(task(3, { status: "completed" }));
  expect(posted.at(-1)?.status).toBe("completed");
  vi.advanceTimersByTime(1_000);
  expect(posted.at(-1)?.status).toBe("completed");
});

test("a removed run is not sent again", () => {
  const { posted, feed } = fed();
  feed.changed(task(1));
  feed.changed(task(2));
  feed.removed(["t1"]);
  vi.advanceTimersByTime(1_000);
  expect(posted.map(({ progress }) => progress.toolCalls)).toEqual([1]);
});

test("runs do not wait for each other's ends", () => {
  const { posted, feed } = fed();
  feed.changed(task(1));
  feed.changed(task(1, { id: "t2" }));
  expect(posted.map(({ id }) => id)).toEqual(["t1", "t2"]);
});
