import { expect, test } from "vitest";

import { changesBetween, withChanges } from "../../../src/util/rowChanges.js";

const rows = Array.from({ length: 9 }, (_, id) => ({ id }));
const row = (id: number) => rows[id] ?? { id };

test.each<[string, number[], number[], number[]]>([
  ["the same rows", [0, 1, 2], [0, 1, 2], []],
  ["a new first row", [0, 1, 2], [8, 0, 1, 2], [8]],
  ["a row that is gone", [0, 1, 2], [0, 2], []],
  ["another row at the end", [0, 1], [0, 1, 7], [7]],
  ["many at once", [0, 1, 2, 3, 4], [8, 0, 7, 6, 3, 5], [8, 7, 6, 5]],
  ["all of them", [0, 1], [2, 3, 4], [2, 3, 4]],
  ["an empty list", [0, 1], [], []],
])("%s: only what differs is sent, and the result is the other list", (_, one, other, sent) => {
  const [before, after] = [one.map(row), other.map(row)];
  const changes = changesBetween(before, after);
  expect(changes?.added.map(([, { id }]) => id)).toEqual(sent);
  expect(changes && withChanges(before, changes)).toEqual(after);
});

test("rows that changed places are not changes of single rows", () => {
  expect(changesBetween([row(0), row(1)], [row(1), row(0)])).toBeUndefined();
});
