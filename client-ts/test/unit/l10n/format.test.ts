import { expect, test } from "vitest";

import { ago, compact, counted, dollars, duration } from "../../../src/l10n/format.js";

test.each([
  [-5, "0s"],
  [59_999, "59s"],
  [60_000, "1m 0s"],
  [65_000, "1m 5s"],
  [7_380_000, "2h 3m"],
  [97_200_000, "1d 3h"],
])("%i ms are %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test.each([
  [-5_000, "now"],
  [9_999, "now"],
  [12_000, "12s ago"],
  [305_000, "5m ago"],
  [97_200_000, "1d ago"],
])("a time %i ms back is %s", (passed, text) => {
  expect(ago(1_000_000, 1_000_000 + passed)).toBe(text);
});

test.each([
  [0, "$0.00"],
  [0.00001, "<$0.0001"],
  [0.004, "$0.0040"],
  [0.04, "$0.04"],
  [1_234.5, "$1,234.50"],
])("a cost of %d is %s", (cost, text) => {
  expect(dollars(cost)).toBe(text);
});

test("a number that no place has room for is written with an exponent", () => {
  expect([dollars(1e300), compact(1e300), counted(1e300, "task"), dollars(-1e300)]).toEqual([
    ...["$1E300", "1E300", "1E300 tasks", "$-1E300"],
  ]);
  expect(dollars(999_999_999)).toBe("$999,999,999.00");
});

test("counts have separators, large ones a unit", () => {
  expect([counted(1, "task"), counted(2_000, "task")]).toEqual(["1 task", "2,000 tasks"]);
  expect([compact(950), compact(12_345)]).toEqual(["950", "12.3K"]);
});
