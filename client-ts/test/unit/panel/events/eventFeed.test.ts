import { expect, test } from "vitest";

import { type Batch, EventFeed } from "../../../../src/panel/events/eventFeed.js";
import { MAX_VARIABLES } from "../../../../src/panel/events/variables.js";
import type { TaskEvent } from "../../../../src/protocol.js";

type Bare<E> = E extends unknown ? Omit<E, "seq" | "ts"> : never;

function at(seq: number, event: Bare<TaskEvent>): TaskEvent {
  return { ...event, seq, ts: seq };
}

function message(seq: number, text = "x".repeat(1_000)): TaskEvent {
  return at(seq, { type: "message", messageId: `m${seq}`, text });
}

function messages(count: number, first = 1): TaskEvent[] {
  return Array.from({ length: count }, (_, index) => message(first + index));
}

function fed() {
  const batches: Batch[] = [];
  const feed = new EventFeed((batch) => batches.push(batch));
  return { batches, feed };
}

test("a page that falls behind gets the newest variables only, each cut to what it shows", () => {
  const { batches, feed } = fed();
  feed.take(messages(1));
  const value = "x".repeat(5_000);
  feed.take(
    Array.from({ length: 3_000 }, (_, index) =>
      at(2 + index, { type: "emit", name: `v${String(index)}`, value }),
    ),
  );
  feed.seen();
  const { facts = [] } = batches[1] ?? {};
  expect(facts).toHaveLength(MAX_VARIABLES + 1);
  expect(JSON.stringify(facts).length).toBeLessThan(200_000);
});

test("the next batch comes when the page has shown the last", () => {
  const { batches, feed } = fed();
  feed.take(messages(1));
  feed.take(messages(2, 2));
  expect(batches.map(({ events }) => events.length)).toEqual([1]);
  feed.seen();
  expect(batches.map(({ events }) => events.length)).toEqual([1, 2]);
  feed.seen();
  feed.take(messages(1, 4));
  expect(batches).toHaveLength(3);
});

test("a page that keeps up gets every event, in order", () => {
  const { batches, feed } = fed();
  for (let round = 0; round < 100; round += 1) {
    feed.take(messages(20, 1 + round * 20));
    feed.seen();
  }
  for (let round = 0; round < 200; round += 1) {
    feed.seen();
  }
  const seqs = batches.flatMap(({ events }) => events.map(({ seq }) => seq));
  expect(seqs).toEqual(Array.from({ length: 2_000 }, (_, index) => index + 1));
  expect(batches.some(({ facts }) => facts !== undefined)).toBe(false);
});

test("a page that falls behind gets the newest, and what is left of the rest", () => {
  const { batches, feed } = fed();
  feed.take(messages(1));
  feed.take([
    at(2, { type: "plan", entries: [{ content: "Look" }] }),
    at(3, { type: "usage", inputTokens: 1 }),
    at(4, { type: "usage", cost: 2 }),
    at(5, { type: "emit", name: "n", value: 1 }),
    at(6, { type: "emit", name: "n", value: 2 }),
    at(7, { type: "permission", requestId: "r", state: "asked", title: "Write", options: [] }),
    at(8, { type: "message", messageId: "u", role: "user", text: "Go" }),
    at(9, { type: "log", stream: "stderr", text: "a\n" }),
    at(10, { type: "log", stream: "stderr", text: "b\n" }),
    ...messages(5_000, 11),
  ]);
  feed.seen();
  const { events = [], facts = [] } = batches[1] ?? {};
  expect(events[0]?.seq).toBeGreaterThan(4_800);
  expect(facts.map(({ type, seq }) => [type, seq])).toEqual([
    ["plan", 2],
    ["usage", 4],
    ["emit", 6],
    ["permission", 7],
    ["message", 8],
    ["log", 10],
  ]);
  expect(facts).toContainEqual(expect.objectContaining({ inputTokens: 1, cost: 2 }));
  expect(facts).toContainEqual(expect.objectContaining({ text: "a\nb\n" }));
});

test("the last event comes, however far behind the page is", () => {
  const { batches, feed } = fed();
  for (let round = 0; round < 200; round += 1) {
    feed.take(messages(100, 1 + round * 100));
    if (round % 20 === 0) {
      feed.seen();
    }
  }
  for (let round = 0; round < 10; round += 1) {
    feed.seen();
  }
  expect(batches.at(-1)?.events.at(-1)?.seq).toBe(20_000);
});

test("a message of 20 MB has its beginning and its end", () => {
  const { batches, feed } = fed();
  feed.take([message(1, `begin ${"x".repeat(20_000_000)} end`)]);
  const [event] = batches[0]?.events ?? [];
  const text = event?.type === "message" ? event.text : "";
  expect(text.length).toBeLessThan(100_000);
  expect(text).toMatch(/^begin .*characters omitted.* end$/su);
});

test("a call's texts are cut, its changes are not", () => {
  const { batches, feed } = fed();
  const long = "y".repeat(200_000);
  const content = [
    { type: "text" as const, text: long },
    { type: "diff" as const, path: "a", oldText: long, newText: "z" },
  ];
  const given = { type: "tool" as const, name: "t", status: "completed" as const };
  feed.take([at(1, { ...given, input: { path: "a", text: long }, output: long, content })]);
  const [event] = batches[0]?.events ?? [];
  const call = event?.type === "tool" ? event : undefined;
  expect(call?.input).toMatchObject({ path: "a" });
  expect(JSON.stringify(call?.input).length).toBeLessThan(100_000);
  expect(String(call?.output).length).toBeLessThan(100_000);
  expect(call?.content?.[1]?.oldText).toBe(long);
});
