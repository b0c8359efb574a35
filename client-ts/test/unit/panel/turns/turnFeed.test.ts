import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { TurnFeed, type TurnsFrom } from "../../../../src/panel/turns/turnFeed.js";
import type { TaskEvent } from "../../../../src/protocol.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The events of one turn, which has two. */
function turn(number: number): TaskEvent[] {
  const at = { ts: 1, seq: 2 * number - 1 };
  return [
    { ...at, type: "message", messageId: `m${number}`, text: `Turn ${number}.` },
    { ...at, seq: at.seq + 1, type: "tool", toolCallId: "1", name: "read", status: "started" },
  ];
}

function feed() {
  const posts: TurnsFrom[] = [];
  const turns = new TurnFeed("t1", (post) => posts.push(post));
  const posted = (): string[] => {
    const lines = posts.map((post) => `${post.from}: ${post.turns.map(({ seq }) => seq).join()}`);
    posts.length = 0;
    return lines;
  };
  return { turns, posted };
}

test("what arrives in a short time is posted at once", () => {
  const { turns, posted } = feed();
  turns.take(turn(1));
  turns.take(turn(2));
  expect(posted()).toEqual([]);
  vi.runAllTimers();
  expect(posted()).toEqual(["0: 1,3"]);
});

test("only turns that changed are posted", () => {
  const { turns, posted } = feed();
  turns.take([...turn(1), ...turn(2)]);
  vi.runAllTimers();
  posted();
  turns.take(turn(3));
  vi.runAllTimers();
  expect(posted()).toEqual(["1: 3,5"]);
  turns.take(turn(3));
  vi.runAllTimers();
  expect(posted()).toEqual([]);
});

test("a page without any gets all, and nothing more after the feed is disposed", () => {
  const { turns, posted } = feed();
  turns.sendAll();
  expect(posted()).toEqual([]);
  turns.take([...turn(1), ...turn(2)]);
  turns.sendAll();
  expect(posted()).toEqual(["0: 1,3"]);
  turns.take(turn(3));
  turns.dispose();
  vi.runAllTimers();
  expect(posted()).toEqual([]);
  turns.sendAll();
  expect(posted()).toEqual(["0: 1,3,5"]);
});
