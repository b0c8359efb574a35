import fc from "fast-check";
import { expect, test } from "vitest";

import type { TaskEvent } from "../../../../src/protocol.js";
import type { Block } from "../../../../webview/model/conversation/blocks.js";
import { keyOf } from "../../../../webview/model/conversation/items.js";
import {
  EMPTY_STREAM,
  hasAfter,
  hasBefore,
  MAX_CHARS,
  receive,
  release,
  type Stream,
  withPage,
} from "../../../../webview/model/conversation/stream.js";
import { message, numbered, tool } from "../../samples.js";

const kinds = fc.constantFrom(
  message("a", "x"),
  message("b", "y"),
  tool("read", "started"),
  tool("read", "completed"),
  { type: "emit" as const, name: "n", value: 1 },
  { type: "log" as const, stream: "stderr" as const, text: "l\n" },
);
const runs = fc.array(kinds, { maxLength: 30 }).map((events) => numbered(events));

function batches<T>(all: readonly T[], size: number): T[][] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, at) => all.slice(at * size, (at + 1) * size));
}

function followed(all: readonly TaskEvent[], size = 50, before = EMPTY_STREAM): Stream {
  return batches(all, size).reduce((stream, events) => receive(stream, { events }, true), before);
}

function blocks({ conversation: { items } }: Stream): Block[] {
  return items.flatMap((item) => (item.kind === "message" ? [item.block] : []));
}

function texts(stream: Stream): string[] {
  return blocks(stream).map(({ text }) => text);
}

/** Separate messages, of this many characters each. */
function long(count: number, first: number, chars = 1_000): TaskEvent[] {
  const all = Array.from({ length: count }, (_, at) =>
    message(`m${first + at}`, `# ${first + at}${"x".repeat(chars)}`),
  );
  return numbered(all, first);
}

test("events count once, in batches of any size and sent again", () => {
  fc.assert(
    fc.property(runs, fc.integer({ min: 1, max: 7 }), fc.nat(30), (events, size, again) => {
      const once = followed(events, events.length || 1);
      const twice = followed(events.slice(again), size, followed(events, size));
      expect(twice.conversation).toEqual(once.conversation);
      expect(twice.lastSeq).toBe(events.length);
    }),
    { numRuns: 100 },
  );
});

test("a reader at the end goes along over a gap, and can go back", () => {
  const stream = receive(followed(numbered([message("a", "1")])), { events: long(1, 500) }, true);
  expect(texts(stream)).toEqual([expect.stringMatching(/^# 500/u)]);
  expect(stream.lastSeq).toBe(500);
  expect(hasBefore(stream)).toBe(true);
});

test("items keep their numbers over a gap", () => {
  const before = followed(long(5, 1));
  const after = receive(before, { events: long(2, 500) }, true);
  expect(after.conversation.dropped).toBe(5);
});

test("what a gap leaves out still describes the run as a whole", () => {
  const facts = numbered(
    [
      { type: "plan", entries: [{ content: "Look" }] },
      { type: "emit", name: "n", value: 2 },
      { type: "permission", requestId: "r", state: "asked", title: "Write a", options: [] },
    ],
    7,
  );
  const stream = receive(EMPTY_STREAM, { events: long(1, 500), facts }, true);
  expect(stream.conversation.plan).toHaveLength(1);
  expect(stream.conversation.variables.get("n")).toBe(2);
  expect(stream.conversation.items.map(({ kind }) => kind)).toEqual(["question", "message"]);
  expect([...stream.conversation.questions.keys()]).toEqual(["r"]);
});

test("for a reader elsewhere what follows on a gap waits, and its facts do not", () => {
  const usage = numbered([{ type: "usage", cost: 2 }], 501);
  const before = followed(numbered([message("a", "1")]));
  const held = receive(before, { events: [...long(1, 500), ...usage] }, false);
  expect(texts(held)).toEqual(["1"]);
  expect(held.conversation.usage).toEqual({ cost: 2 });
  expect(hasAfter(held)).toBe(true);
  expect(texts(release(held, true))).toEqual([expect.stringMatching(/^# 500/u)]);
});

test("however long a run is, what is kept of it is bounded and its end is there", () => {
  const stream = followed(long(3_000, 1));
  expect(stream.chars).toBeLessThanOrEqual(MAX_CHARS);
  expect(texts(stream).at(-1)).toMatch(/^# 3000/u);
  expect(stream.events.length).toBeLessThan(1_000);
  expect(stream.conversation.dropped + stream.conversation.items.length).toBe(3_000);
  expect(hasBefore(stream)).toBe(true);
});

test("after items went, pieces and ends still find theirs", () => {
  const open = numbered([tool("read", "started", "1")], 3_001);
  const before = followed([...long(3_000, 1), ...open]);
  const after = followed(numbered([tool("read", "completed", "1")], 3_002), 1, before);
  expect(after.conversation.items.at(-1)).toMatchObject({ status: "completed" });
});

test("a reader elsewhere keeps the room: more is held, not dropped", () => {
  const full = receive(followed(long(700, 1)), { events: long(200, 701) }, false);
  const held = receive(full, { events: long(1, 901) }, false);
  expect(held.held?.events).toHaveLength(1);
  expect(texts(held)).toEqual(texts(full));
});

test("earlier events come before those that are there, which keep their numbers", () => {
  const all = long(20, 1);
  const end = receive(EMPTY_STREAM, { events: all.slice(10) }, true);
  const at = end.conversation.dropped;
  const whole = withPage(end, "before", all.slice(0, 10));
  expect(texts(whole)).toEqual(texts(followed(all)));
  expect(whole.conversation.items[at - whole.conversation.dropped]).toMatchObject({ seq: 11 });
  expect(hasBefore(whole)).toBe(false);
});

test("a call that begins in an earlier page is one item with its end", () => {
  const [start, end] = numbered([tool("read", "started", "1"), tool("read", "completed", "1")]);
  const late = receive(EMPTY_STREAM, { events: end === undefined ? [] : [end] }, true);
  const whole = withPage(late, "before", start === undefined ? [] : [start]);
  expect(whole.conversation.items).toMatchObject([{ kind: "tool", status: "completed", seq: 1 }]);
});

test("when earlier events come, what is drawn already stays, but for a text they continue in", () => {
  const pieces = Array.from({ length: 60 }, (_, at) =>
    message("a", `\nline ${at} ${"x".repeat(900)}`),
  );
  const all = numbered([tool("read", "started", "1"), ...pieces, tool("read", "completed", "1")]);
  const end = receive(EMPTY_STREAM, { events: all.slice(40) }, true);
  const known = blocks(end).slice(1);
  expect(known.length).toBeGreaterThan(1);
  const back = withPage(end, "before", all.slice(20, 40));
  const whole = withPage(back, "before", all.slice(0, 20));
  for (const block of known) {
    expect(blocks(whole)).toContain(block);
  }
  expect(texts(whole).join("")).toBe(texts(followed(all)).join(""));
});

test("no two items have the same key, however text is split", () => {
  const pieces = [20_000, 5, 30_000].map((chars) => message("a", "x".repeat(chars)));
  const all = numbered([...pieces, ...pieces]);
  const end = receive(EMPTY_STREAM, { events: all.slice(3) }, true);
  const { items } = withPage(end, "before", all.slice(0, 3)).conversation;
  expect(new Set(items.map(keyOf)).size).toBe(items.length);
});

test("far back the newest are let go of, and can be asked for again", () => {
  const all = long(1_200, 1);
  const end = followed(all.slice(700));
  const back = withPage(end, "before", all.slice(0, 700));
  expect(back.events[0]?.seq).toBe(1);
  expect(back.chars).toBeLessThanOrEqual(MAX_CHARS);
  expect(hasAfter(back)).toBe(true);
  const forth = withPage(back, "after", all.slice(back.lastSeq));
  expect(texts(forth).at(-1)).toMatch(/^# 1200/u);
  expect(hasAfter(forth)).toBe(false);
});

test("what is in view stays, even if it is long", () => {
  const all = long(100, 1, 50_000);
  const end = followed(all.slice(85));
  const back = withPage(end, "before", all.slice(70, 85), { first: 86, last: 90 });
  expect(back.chars).toBeGreaterThan(MAX_CHARS);
  expect(back.lastSeq).toBe(90);
  const from = withPage(EMPTY_STREAM, "after", all.slice(0, 15));
  const forth = withPage(from, "after", all.slice(15, 30), { first: 6, last: 15 });
  expect(forth.events[0]?.seq).toBe(6);
});

test("what is in view does not stay beyond measure", () => {
  const all = long(200, 1, 50_000);
  const end = followed(all.slice(185));
  const back = withPage(end, "before", all.slice(0, 185), { first: 1, last: 200 });
  expect(back.chars).toBeLessThanOrEqual(4 * MAX_CHARS);
});

test("events that the sidecar no longer has are requested only once", () => {
  const end = followed(long(10, 501));
  expect(hasBefore(end)).toBe(true);
  expect(hasBefore(withPage(end, "before", []))).toBe(false);
  expect(hasBefore(withPage(end, "before", long(5, 501)))).toBe(false);
});

test("a page is ignored if the stream began again while it was loading", () => {
  const all = long(30, 1);
  const late = receive(EMPTY_STREAM, { events: all.slice(20) }, true);
  expect(withPage(late, "before", all.slice(0, 10))).toBe(late);
});

test("a page that meets what is held continues it", () => {
  const all = long(30, 1);
  const before = followed(all.slice(0, 10));
  const held = receive(before, { events: all.slice(20) }, false);
  const whole = withPage(held, "after", all.slice(10, 20));
  expect(whole.held).toBeUndefined();
  expect(texts(whole)).toEqual(texts(followed(all)));
});
