import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { TextFeed } from "../../../../src/panel/events/textFeed.js";
import type { TaskEvent } from "../../../../src/protocol.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Return the paths that a page gets of these calls. */
function sent(...events: Partial<TaskEvent>[]): readonly string[] | undefined {
  const posted: (readonly string[])[] = [];
  const feed = new TextFeed((paths) => posted.push(paths));
  feed.take(events.map((event, at) => ({ seq: at + 1, ts: 0, ...event }) as TaskEvent));
  vi.advanceTimersByTime(300);
  return posted.at(-1);
}

function call(status: string, path?: string): Partial<TaskEvent> {
  const content = path === undefined ? [] : [{ type: "diff", path, oldText: "a", newText: "b" }];
  return { type: "tool", name: "edit", toolCallId: "c", status, content } as Partial<TaskEvent>;
}

test("a file is named once its change is, whether or not the call repeats it at its end", () => {
  expect(sent(call("started", "/w/a.py"), call("completed"))).toEqual(["/w/a.py"]);
  expect(sent(call("completed", "/w/a.py"), call("completed", "/w/a.py"))).toEqual(["/w/a.py"]);
});

test("a call that the run left open may have made its change; a failed one did not", () => {
  expect(sent(call("started", "/w/a.py"))).toEqual(["/w/a.py"]);
  expect(sent(call("started", "/w/a.py"), call("failed"))).toEqual([]);
});

test("calls without texts post nothing", () => {
  expect(sent(call("started"), call("completed"))).toBeUndefined();
});
