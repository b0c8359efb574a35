import fc from "fast-check";
import { expect, test } from "vitest";

import type { TaskEvent } from "../../src/protocol.js";
import { EMPTY_STREAM, MAX_WAITING, receive } from "../../webview/model/stream.js";
import { message, numbered, tool } from "./samples.js";

const kinds = fc.constantFrom(
  message("a", "x"),
  message("b", "y"),
  tool("read", "started"),
  tool("read", "completed"),
  { type: "emit" as const, name: "n", value: 1 },
  { type: "log" as const, stream: "stderr" as const, text: "l\n" },
);
const runs = fc.array(kinds, { maxLength: 30 }).map((events) => numbered(events));

/** A run's events as a bad line may bring them: shuffled, repeated, in batches of any size. */
const deliveries = runs.chain((events) =>
  fc.record({
    events: fc.constant(events),
    order: fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 }),
    size: fc.integer({ min: 1, max: 7 }),
  }),
);

function batches<T>(all: readonly T[], size: number): T[][] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, at) => all.slice(at * size, (at + 1) * size));
}

test("events count once and in order, however they come", () => {
  fc.assert(
    fc.property(deliveries, ({ events, order, size }) => {
      const received = batches(order, size).reduce(receive, EMPTY_STREAM);
      expect(received).toEqual(receive(EMPTY_STREAM, events));
      expect(received.lastSeq).toBe(events.length);
    }),
    { numRuns: 100 },
  );
});

test("events wait for one that they follow", () => {
  const [first, second] = numbered([message("a", "1"), message("a", "2")]) as [
    TaskEvent,
    TaskEvent,
  ];
  const early = receive(EMPTY_STREAM, [second]);
  expect(early).toMatchObject({ lastSeq: 0, conversation: { items: [] } });
  expect(early.waiting.size).toBe(1);
  expect(receive(early, [first]).conversation.items).toMatchObject([{ block: { text: "12" } }]);
});

test("what waits is bounded", () => {
  const late = numbered(
    Array.from({ length: 3 * MAX_WAITING }, () => message("a", "x")),
    2,
  );
  const stream = batches(late, 100).reduce(receive, EMPTY_STREAM);
  expect(stream.waiting.size).toBeLessThanOrEqual(MAX_WAITING + 100);
});

test("fifty thousand events in small batches are taken in seconds", () => {
  const all = numbered(
    Array.from({ length: 50_000 }, (_, at) => message(`m${at % 9_000}`, "word ")),
  );
  const began = performance.now();
  const stream = batches(all, 200).reduce(receive, EMPTY_STREAM);
  expect(stream.lastSeq).toBe(50_000);
  expect(performance.now() - began).toBeLessThan(10_000);
});
