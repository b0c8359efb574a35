import { expect, test } from "vitest";

import type { Turn, TurnKind } from "../../../../src/panel/turns/turnIndex.js";
import {
  marksOf,
  MOST_MARKS,
  nextNotable,
  turnAt,
} from "../../../../webview/model/conversation/turns.js";

/** Turns of ten events each; the first is 1. */
function turns(count: number, kinds: Readonly<Record<number, TurnKind>> = {}): Turn[] {
  return Array.from({ length: count }, (_, at) => {
    return { seq: 1 + 10 * at, kind: kinds[at] ?? "plain", text: `turn ${at}` };
  });
}

test("a few turns have a mark each", () => {
  const marks = marksOf(turns(3, { 1: "failure" }));
  expect(marks.map(({ first, end, kind }) => [first, end, kind])).toEqual([
    [0, 1, "plain"],
    [1, 2, "failure"],
    [2, 3, "plain"],
  ]);
  expect(marksOf([])).toEqual([]);
});

test("a mark of many turns leads to the one that a reader looks for first", () => {
  const marks = marksOf(turns(600, { 14: "failure", 17: "question", 25: "user" }));
  expect(marks).toHaveLength(MOST_MARKS);
  expect(marks[1]).toEqual({ first: 10, end: 20, kind: "question", to: 17 });
  expect(marks[2]).toEqual({ first: 20, end: 30, kind: "user", to: 25 });
  expect(marks[3]).toEqual({ first: 30, end: 40, kind: "plain", to: 30 });
  expect(marks.at(-1)?.end).toBe(600);
});

test.each([
  [0, 0],
  [1, 0],
  [10, 0],
  [11, 1],
  [25, 2],
  [31, 3],
  [9_999, 3],
])("event %d is in turn %d", (seq, turn) => {
  expect(turnAt(turns(4), seq)).toBe(turn);
});

test("the next question or failure is found on either side", () => {
  const all = turns(9, { 2: "question", 4: "user", 6: "failure" });
  expect(nextNotable(all, 4, -1)).toBe(2);
  expect(nextNotable(all, 4, 1)).toBe(6);
  expect(nextNotable(all, 2, -1)).toBeUndefined();
  expect(nextNotable(all, 6, 1)).toBeUndefined();
});
