import { expect, test } from "vitest";

import { eventsAfter, eventsBefore } from "../../../../src/panel/events/eventPages.js";
import type { EventsParams, TaskEvent } from "../../../../src/protocol.js";
import type { SubagentService } from "../../../../src/service/service.js";

/** A run of this many messages, of which the sidecar gives a few at once. */
function sidecar(count: number, chars: number, most = 30): SubagentService {
  const all = Array.from({ length: count }, (_, at): TaskEvent => ({
    type: "message",
    messageId: "m",
    seq: at + 1,
    ts: 1,
    text: "x".repeat(chars),
  }));
  const request = (_: string, { afterSeq = 0, limit = 200 }: EventsParams) => {
    const events = all.slice(afterSeq, afterSeq + Math.min(limit, most));
    const more = afterSeq + events.length < count;
    return Promise.resolve({ events, lastSeq: count, more, revision: 1 });
  };
  return { request } as unknown as SubagentService;
}

function seqs(events: readonly TaskEvent[]): [number | undefined, number | undefined] {
  return [events[0]?.seq, events.at(-1)?.seq];
}

test("the events right before one, without a gap", async () => {
  expect(seqs(await eventsBefore(sidecar(1_000, 10), "t1", 500))).toEqual([300, 499]);
  expect(seqs(await eventsBefore(sidecar(1_000, 10), "t1", 50))).toEqual([1, 49]);
  expect(await eventsBefore(sidecar(1_000, 10), "t1", 1)).toEqual([]);
});

test("of long ones fewer, the nearest", async () => {
  const [first, last] = seqs(await eventsBefore(sidecar(1_000, 10_000), "t1", 500));
  expect(last).toBe(499);
  expect(first).toBeGreaterThan(485);
});

test("beyond the end there is what there is", async () => {
  expect(seqs(await eventsBefore(sidecar(100, 10), "t1", 160))).toEqual([1, 100]);
});

test("the events right after one, the nearest if they are long", async () => {
  expect(seqs(await eventsAfter(sidecar(1_000, 10, 200), "t1", 500))).toEqual([501, 700]);
  const [first, last] = seqs(await eventsAfter(sidecar(1_000, 10_000, 200), "t1", 500));
  expect(first).toBe(501);
  expect(last).toBeLessThan(515);
});
