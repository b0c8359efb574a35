// The search reads all of a run, page by page, and shows matches that are not loaded.
import { expect, test } from "vitest";

import type { FromWebview } from "../../../src/panel/messages.js";
import type { Event } from "../../../webview/model/events.js";
import { keyOf } from "../../../webview/model/conversation/items.js";
import { followsEnd, pageEndOf, shownOf } from "../../../webview/model/openRun.js";
import { reduce } from "../../../webview/model/reduce.js";
import { requestsOf } from "../../../webview/model/requests.js";
import { INITIAL, type State } from "../../../webview/model/state.js";
import { message, numbered, task } from "../samples.js";

const OPEN: Event = { type: "openRun", taskId: "t1" };
const TASK: Event = { type: "task", task: task() };
const RARE = 120;

function messages(count: number, first: number) {
  const all = Array.from({ length: count }, (_, at) => {
    const seq = first + at;
    return message(`m${seq}`, `${"x".repeat(3_000)} ${seq === RARE ? "needle" : "hay"}`);
  });
  return numbered(all, first);
}

/** What a follower has: the end of a run of 500 events. */
const END: Event = { type: "events", taskId: "t1", events: messages(50, 451) };
const BEGIN: Event[] = [
  { type: "find", from: 490 },
  { type: "findText", text: "needle" },
];

function read(seq: number, count: number): Event {
  return { type: "read", taskId: "t1", seq, events: messages(count, seq + 1) };
}

function pageOf(seq: number): Event {
  const first = Math.max(1, pageEndOf(seq) - 100);
  const events = messages(pageEndOf(seq) - first, first);
  return { type: "page", taskId: "t1", side: "before", seq: pageEndOf(seq), events };
}

function after(...events: Event[]): State {
  return events.reduce(reduce, INITIAL);
}

/** What the page asks of the extension because of the last event. */
function asked(...events: Event[]): FromWebview[] {
  const before = after(...events.slice(0, -1));
  return events.slice(-1).flatMap((event) => requestsOf(before, reduce(before, event), event));
}

/** Whether the event is shown. */
function shows({ open }: State, seq: number): boolean {
  const { items = [], dropped = 0 } = open?.stream.conversation ?? {};
  const { start, end } = open === undefined ? { start: 0, end: 0 } : shownOf(open);
  return items.slice(start - dropped, end - dropped).some((item) => keyOf(item) === `${seq}.0`);
}

test("nothing is read before there is something to search", () => {
  expect(asked(OPEN, TASK, END, { type: "find" })).toEqual([]);
  expect(asked(OPEN, TASK, END, ...BEGIN)).toEqual([{ type: "read", taskId: "t1", seq: 0 }]);
});

test("the run is read page by page to its end, and what follows as it happens", () => {
  const reads = [OPEN, TASK, END, ...BEGIN, read(0, 200)];
  expect(asked(...reads)).toEqual([{ type: "read", taskId: "t1", seq: 200 }]);
  expect(after(...reads).open?.find?.isWhole).toBe(false);
  const whole = [...reads, read(200, 200), read(400, 100)];
  expect(asked(...whole)).not.toContainEqual(expect.objectContaining({ type: "read" }));
  expect(after(...whole).open?.find).toMatchObject({ isWhole: true, readSeq: 500 });
  const more: Event = { type: "events", taskId: "t1", events: messages(5, 501) };
  expect(asked(...whole, more)).toContainEqual({ type: "read", taskId: "t1", seq: 500 });
});

test("a search ends where the sidecar has no more events", () => {
  const none: Event = { type: "read", taskId: "t1", seq: 200, events: [] };
  const state = after(OPEN, TASK, END, ...BEGIN, read(0, 200), none);
  expect(state.open?.find).toMatchObject({ isWhole: true, readSeq: 500 });
});

test("a page that was not requested is ignored", () => {
  const state = after(OPEN, TASK, END, ...BEGIN);
  expect(reduce(state, read(200, 10)).open?.find).toBe(state.open?.find);
});

test("a match that is not loaded is requested, and shown when it arrives", () => {
  const found = [OPEN, TASK, END, ...BEGIN, read(0, 200), read(200, 200), read(400, 100)];
  expect(asked(...found)).toEqual([
    { type: "page", taskId: "t1", side: "before", seq: pageEndOf(RARE) },
  ]);
  const there = after(...found, pageOf(RARE));
  expect(shows(there, RARE)).toBe(true);
  expect(there.open?.find).toMatchObject({ current: 0, isRevealing: true });
});

test("a match that is shown stays where it is, and new events no longer move it", () => {
  const search: Event[] = [
    { type: "find", from: 499 },
    { type: "findText", text: "hay" },
  ];
  const state = after(OPEN, TASK, END, ...search, read(0, 200), read(200, 200), read(400, 100));
  expect(state.open && followsEnd(state.open)).toBe(false);
  expect(shows(state, 499)).toBe(true);
});

test("a match that is loaded is shown without a request", () => {
  const search: Event[] = [
    { type: "find", from: 455 },
    { type: "findText", text: "hay" },
  ];
  const all = [OPEN, TASK, END, ...search, read(0, 200), read(200, 200), read(400, 100)];
  expect(shows(after(OPEN, TASK, END), 455)).toBe(false);
  expect(shows(after(...all), 455)).toBe(true);
  expect(asked(...all)).toEqual([]);
});

test("a match in the goal leads to the first event", () => {
  const all = [OPEN, TASK, END, { type: "find", from: 499 }, { type: "findText", text: "test it" }];
  const whole = [...all, read(0, 200), read(200, 200), read(400, 100)] as Event[];
  expect(asked(...whole)).toEqual([
    { type: "page", taskId: "t1", side: "before", seq: pageEndOf(1) },
  ]);
});

test("a closed search leaves the reader where they are, and forgets what it read", () => {
  const found = [OPEN, TASK, END, ...BEGIN, read(0, 200), read(200, 200), read(400, 100)];
  const there = after(...found, pageOf(RARE));
  const closed = reduce(there, { type: "closeFind" });
  expect(closed.open?.find).toBeUndefined();
  expect(closed.open?.reading).toEqual(there.open?.reading);
});

test("what is shown around the items is searched as it changes, once all is read", () => {
  const search: Event[] = [
    { type: "find", from: 499 },
    { type: "findText", text: "barn.py" },
  ];
  const whole = [OPEN, TASK, END, ...search, read(0, 200), read(200, 200), read(400, 100)];
  expect(after(...whole).open?.find?.matches).toEqual([]);
  const ended: Event[] = [
    { type: "task", task: task({ status: "completed" }) },
    { type: "files", taskId: "t1", files: [{ path: "/w/barn.py", actions: ["edited"] }] },
  ];
  expect(after(...whole, ...ended).open?.find).toMatchObject({ current: 0, isRevealing: true });
});

test("a match at the end waits until nothing can come before it", () => {
  const ended: Event[] = [
    { type: "task", task: task({ status: "completed" }) },
    { type: "files", taskId: "t1", files: [{ path: "/w/hay.py", actions: ["edited"] }] },
  ];
  const search: Event[] = [
    { type: "find", from: 460 },
    { type: "findText", text: "hay" },
  ];
  const part = after(OPEN, ...ended, END, ...search, read(0, 200));
  expect(part.open?.find?.matches).not.toEqual([]);
  expect(part.open?.find?.current).toBeUndefined();
});

test("an event that has nothing to do with the search changes nothing", () => {
  const state = after(OPEN, TASK, END, ...BEGIN, read(0, 200));
  expect(reduce(state, { type: "page", taskId: "t2", side: "after", seq: 1, events: [] })).toBe(
    state,
  );
});
