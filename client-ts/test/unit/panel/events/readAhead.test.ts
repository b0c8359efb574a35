import { expect, test } from "vitest";

import { ReadAhead } from "../../../../src/panel/events/readAhead.js";
import type { EventsParams, TaskEvent } from "../../../../src/protocol.js";
import type { SubagentService } from "../../../../src/service/service.js";

const PAGE = 200;

/** A run that grows, and the places from which it was read. */
class Sidecar {
  readonly read: number[] = [];
  count = 300;
  failsAt: number | undefined;

  request(_: string, { afterSeq = 0 }: EventsParams) {
    this.read.push(afterSeq);
    const left = Math.max(0, Math.min(PAGE, this.count - afterSeq));
    const events = Array.from({ length: left }, (_, at): TaskEvent => {
      const seq = afterSeq + at + 1;
      return { type: "message", messageId: "m", seq, ts: 1, text: "x" };
    });
    return afterSeq === this.failsAt
      ? Promise.reject(new Error("down"))
      : Promise.resolve({ events });
  }
}

function reader(sidecar: Sidecar): ReadAhead {
  return new ReadAhead(sidecar as unknown as SubagentService);
}

async function lastOf(pages: ReadAhead, seq: number): Promise<number | undefined> {
  return (await pages.after("t1", seq)).at(-1)?.seq;
}

test("the next page is read before it is asked for, and only once", async () => {
  const sidecar = new Sidecar();
  const pages = reader(sidecar);
  expect(await lastOf(pages, 0)).toBe(200);
  expect(sidecar.read).toEqual([0, 200]);
  expect(await lastOf(pages, 200)).toBe(300);
  expect(sidecar.read).toEqual([0, 200, 300]);
});

test("what was the end is read again: there may be more by then", async () => {
  const sidecar = new Sidecar();
  const pages = reader(sidecar);
  await lastOf(pages, 200);
  sidecar.count = 301;
  expect(await lastOf(pages, 300)).toBe(301);
});

test("another place or another run gets its own page", async () => {
  const sidecar = new Sidecar();
  const pages = reader(sidecar);
  await lastOf(pages, 0);
  expect(await lastOf(pages, 100)).toBe(300);
  await pages.after("t2", 300);
  expect(sidecar.read).toEqual([0, 200, 100, 300, 300]);
});

test("a failure to read ahead is reported only to who asks for that page", async () => {
  const sidecar = new Sidecar();
  const pages = reader(sidecar);
  sidecar.failsAt = 200;
  expect(await pages.after("t1", 0)).toHaveLength(PAGE);
  await expect(pages.after("t1", 200)).rejects.toThrow("down");
  sidecar.failsAt = undefined;
  expect(await lastOf(pages, 200)).toBe(300);
});
