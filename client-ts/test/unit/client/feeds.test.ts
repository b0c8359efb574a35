import { expect, test } from "vitest";

import { Feeds, type FeedSource } from "../../../src/client/feeds.js";
import type { TaskEvent } from "../../../src/protocol.js";

const TASK = "a";

class Source implements FeedSource {
  readonly calls: string[] = [];
  readonly failures: unknown[] = [];

  subscribe(taskId: string, afterSeq: number): Promise<void> {
    this.calls.push(`subscribe ${taskId} ${afterSeq}`);
    return Promise.resolve();
  }

  unsubscribe(taskId: string): Promise<void> {
    this.calls.push(`unsubscribe ${taskId}`);
    return Promise.resolve();
  }

  failed(_taskId: string, error: unknown): void {
    this.failures.push(error);
  }
}

/** Events `first` to `last`, as the sidecar sends them. */
function output(first: number, last: number) {
  const events = Array.from({ length: last - first + 1 }, (_, index): TaskEvent => {
    return { type: "message", seq: first + index, ts: 0, messageId: "m", text: "" };
  });
  return { taskId: TASK, events, revision: 1 };
}

function following(feeds: Feeds, afterSeq: number) {
  const seen: number[] = [];
  const follower = feeds.follow(TASK, afterSeq, (events) => {
    seen.push(...events.map((event) => event.seq));
  });
  return { seen, follower };
}

test("a follower gets what comes after its place, once", () => {
  const feeds = new Feeds(new Source());
  const { seen } = following(feeds, 2);
  feeds.deliver(output(1, 4));
  feeds.deliver(output(3, 5));
  expect(seen).toEqual([3, 4, 5]);
});

test("one that joins late moves the subscription back, and repeats nothing to the others", () => {
  const source = new Source();
  const feeds = new Feeds(source);
  const early = following(feeds, 0);
  feeds.deliver(output(1, 3));
  const late = following(feeds, 1);
  expect(source.calls).toEqual(["subscribe a 0", "subscribe a 1"]);
  feeds.deliver(output(2, 4));
  expect(early.seen).toEqual([1, 2, 3, 4]);
  expect(late.seen).toEqual([2, 3, 4]);
});

test("what an earlier subscription still sends leaves no gap for one that joins late", async () => {
  const feeds = new Feeds(new Source());
  following(feeds, 0).follower.dispose();
  const { seen } = following(feeds, 0);
  feeds.deliver(output(7, 9));
  feeds.deliver(output(1, 9));
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  await Promise.resolve(); // The new subscription is answered.
  await Promise.resolve();
  feeds.deliver(output(12, 12));
  expect(seen.at(-1)).toBe(12); // What the record has lost does not come any more.
});

test("after a restart everything continues where the slowest follower is", () => {
  const source = new Source();
  const feeds = new Feeds(source);
  following(feeds, 0);
  feeds.deliver(output(1, 7));
  feeds.resubscribe();
  expect(source.calls.at(-1)).toBe("subscribe a 7");
});

test("the last to leave unsubscribes, once", () => {
  const source = new Source();
  const feeds = new Feeds(source);
  const one = following(feeds, 0).follower;
  const two = following(feeds, 0).follower;
  one.dispose();
  one.dispose();
  expect(source.calls).not.toContain("unsubscribe a");
  two.dispose();
  expect(source.calls.at(-1)).toBe("unsubscribe a");
  feeds.deliver(output(1, 1));
});

test("a follower that throws is reported and stops no other", () => {
  const source = new Source();
  const feeds = new Feeds(source);
  feeds.follow(TASK, 0, () => {
    throw new Error("mine");
  });
  const { seen } = following(feeds, 0);
  feeds.deliver(output(1, 2));
  expect(source.failures).toHaveLength(1);
  expect(seen).toEqual([1, 2]);
});
