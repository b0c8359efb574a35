// A reader jumps to a turn, loaded or not, and pages that were requested for another place are ignored.
import { expect, test } from "vitest";

import type { FromWebview } from "../../../src/panel/messages.js";
import type { Turn } from "../../../src/panel/turns/turnIndex.js";
import type { Event } from "../../../webview/model/events.js";
import { followsEnd, pageEndOf, shownOf } from "../../../webview/model/openRun.js";
import { reduce } from "../../../webview/model/reduce.js";
import { requestsOf } from "../../../webview/model/requests.js";
import { INITIAL, type State } from "../../../webview/model/state.js";
import { message, numbered, task } from "../samples.js";

const OPEN: Event = { type: "openRun", taskId: "t1" };

function messages(count: number, first: number) {
  const all = Array.from({ length: count }, (_, at) =>
    message(`m${first + at}`, "x".repeat(3_000)),
  );
  return numbered(all, first);
}

/** What a follower has: the end of a run of 500 events. */
const END: Event = { type: "events", taskId: "t1", events: messages(50, 451) };

/** The page that the place of this event is on. */
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

/** The first and the last event that is shown. */
function shown({ open }: State): (number | undefined)[] {
  if (open === undefined) {
    return [];
  }
  const { items, dropped } = open.stream.conversation;
  const { start, end } = shownOf(open);
  const range = items.slice(start - dropped, end - dropped);
  return [range[0]?.seq, range.at(-1)?.seq];
}

test("a turn that is loaded is shown at once, with what is around it", () => {
  const jump: Event = { type: "jumpTo", seq: 460 };
  const [first = 0, last = 0] = shown(after(OPEN, END, jump));
  expect(first).toBeLessThanOrEqual(460);
  expect(last).toBeGreaterThan(460);
  expect(after(OPEN, END, jump).open).toMatchObject({ at: 460 });
  expect(asked(OPEN, END, jump)).toEqual([]);
});

test("a turn that is not loaded is requested, and shown when it arrives", () => {
  const jump: Event = { type: "jumpTo", seq: 200 };
  expect(asked(OPEN, END, jump)).toEqual([
    { type: "page", taskId: "t1", side: "before", seq: pageEndOf(200) },
  ]);
  const [first = 0, last = 0] = shown(after(OPEN, END, jump, pageOf(200)));
  expect(first).toBeLessThanOrEqual(200);
  expect(last).toBeGreaterThan(200);
});

test("the page of a turn that the reader has left for another is ignored", () => {
  const jumps: Event[] = [OPEN, END, { type: "jumpTo", seq: 200 }, { type: "jumpTo", seq: 330 }];
  const waiting = after(...jumps, pageOf(200));
  expect(waiting.open?.returning).toBe(330);
  expect(waiting.open?.stream.events).toEqual([]);
  const [first = 0, last = 0] = shown(reduce(waiting, pageOf(330)));
  expect(first).toBeLessThanOrEqual(330);
  expect(first).toBeGreaterThan(260);
  expect(last).toBeGreaterThan(330);
});

test("the page of a turn is ignored by a reader who went to the end meanwhile", () => {
  const back: Event[] = [OPEN, END, { type: "jumpTo", seq: 200 }, { type: "jumpToEnd" }];
  expect(asked(...back)).toEqual([{ type: "follow", taskId: "t1", afterSeq: 0 }]);
  const state = after(...back, pageOf(200));
  expect(state.open && followsEnd(state.open)).toBe(true);
  expect(state.open?.stream.events).toEqual([]);
  expect(shown(reduce(state, END)).at(-1)).toBe(500);
});

test("a page of what follows another place is ignored", () => {
  const later: Event = {
    ...{ type: "page", taskId: "t1", side: "after", seq: 400 },
    events: messages(20, 401),
  };
  const jumped = after(OPEN, END, { type: "jumpTo", seq: 200 });
  expect(reduce(jumped, later)).toEqual(jumped);
  const there = reduce(jumped, pageOf(200));
  expect(reduce(there, later)).toEqual(there);
});

test("a turn that the sidecar no longer has leads to the end", () => {
  const jump: Event[] = [OPEN, END, { type: "jumpTo", seq: 200 }];
  const none: Event = {
    ...{ type: "page", taskId: "t1", side: "before", seq: pageEndOf(200) },
    events: [],
  };
  const state = after(...jump, none);
  expect(state.open && followsEnd(state.open)).toBe(true);
  expect(asked(...jump, none)).toEqual([{ type: "follow", taskId: "t1", afterSeq: 0 }]);
});

test("while a reader jumps, new events wait", () => {
  const more: Event = { type: "events", taskId: "t1", events: messages(5, 501) };
  const jumped = after(OPEN, END, { type: "jumpTo", seq: 200 }, more);
  expect(jumped.open?.stream).toMatchObject({ events: [], newestSeq: 505 });
  const back = [pageOf(200), { type: "jumpToEnd" } as const].reduce<State>(reduce, jumped);
  expect(back.open?.stream.lastSeq).toBe(505);
});

test("turns that arrive replace those from the first changed one on", () => {
  const turn = (seq: number, text: string): Turn => ({ seq, kind: "plain", text });
  const turns = (from: number, ...all: Turn[]): Event => {
    return { type: "turns", taskId: "t1", from, turns: all };
  };
  const state = after(
    OPEN,
    turns(0, turn(1, "one"), turn(5, "two")),
    turns(1, turn(5, "two and more"), turn(9, "three")),
    { ...turns(0, turn(1, "another run's")), taskId: "t2" } as Event,
  );
  expect(state.open?.turns?.map(({ text }) => text)).toEqual(["one", "two and more", "three"]);
});

test("where the reader is counts until they are at the end again", () => {
  const reading = after(OPEN, END, { type: "leaveEnd" }, { type: "readAt", seq: 470 });
  expect(reading.open?.at).toBe(470);
  expect(reduce(reading, { type: "jumpToEnd" }).open?.at).toBeUndefined();
  expect(after(OPEN, END, { type: "readAt", seq: 470 }).open?.at).toBeUndefined();
});

test("a stored task whose events are different now is followed from its first event", () => {
  const restart: Event = { type: "restarted", taskId: "t1" };
  expect(asked(OPEN, END, restart)).toEqual([{ type: "follow", taskId: "t1", afterSeq: 0 }]);
  const state = after(OPEN, END, restart);
  expect(state.open?.stream.events).toEqual([]);
  expect(shown(reduce(state, END)).at(-1)).toBe(500);
});

test("a reader of such a task who is not at its end returns to the place", () => {
  const away: Event[] = [OPEN, END, { type: "jumpTo", seq: 200 }, pageOf(200)];
  const restart: Event = { type: "restarted", taskId: "t1" };
  expect(asked(...away, restart)).toEqual([
    { type: "page", taskId: "t1", side: "before", seq: pageEndOf(200) },
    { type: "follow", taskId: "t1", afterSeq: 0 },
  ]);
  const [first = 0, last = 0] = shown(after(...away, restart, pageOf(200)));
  expect(first).toBeLessThanOrEqual(200);
  expect(last).toBeGreaterThan(200);
});

test("a task that is stored again is not shown as deleted", () => {
  const state = after(OPEN, END, { type: "taskDeleted", taskId: "t1" });
  expect(state.open?.isDeleted).toBe(true);
  expect(reduce(state, { type: "task", task: task({ id: "t1" }) }).open).not.toHaveProperty(
    "isDeleted",
  );
});
