import fc from "fast-check";
import { expect, test } from "vitest";

import {
  earlier,
  END,
  type Extent,
  later,
  latest,
  MAX_KEPT,
  MAX_SHOWN,
  PAGE,
  type Range,
  within,
} from "../../../webview/model/range.js";

const WEIGHT = 400;

function extentOf(
  start: number,
  length: number,
  weigh: (at: number) => number = () => WEIGHT,
): Extent {
  return { start, end: start + length, weigh };
}

function weightOf({ start, end }: Range, extent: Extent): number {
  return Array.from({ length: end - start }, (_, at) => extent.weigh(start + at)).reduce(
    (sum, each) => sum + each,
    0,
  );
}

const step = fc.constantFrom(earlier, later, within);
const weights = fc.array(fc.integer({ min: WEIGHT, max: 20_000 }), { maxLength: 300 });

test("whatever the reader does, what is shown exists and is not too much", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -100, max: 500 }),
      weights,
      fc.array(step, { maxLength: 20 }),
      (start, heavy, steps) => {
        const extent = extentOf(start, heavy.length, (at) => heavy[at - start] ?? 0);
        const shown = steps.reduce((range, go) => go(range, extent), latest(extent));
        expect(shown.start).toBeGreaterThanOrEqual(extent.start);
        expect(shown.end).toBeLessThanOrEqual(extent.end);
        expect(weightOf(shown, extent)).toBeLessThanOrEqual(MAX_SHOWN);
        expect(shown.end > shown.start).toBe(heavy.length > 0);
      },
    ),
  );
});

test("going back and forth comes to both ends", () => {
  const extent = extentOf(0, 1_000);
  let shown = latest(extent);
  expect(shown).toEqual({ start: 1_000 - END / WEIGHT, end: 1_000 });
  for (let at = 0; at < 80; at += 1) {
    shown = earlier(shown, extent);
  }
  expect(shown).toEqual({ start: 0, end: MAX_SHOWN / WEIGHT });
  for (let at = 0; at < 80; at += 1) {
    shown = later(shown, extent);
  }
  expect(shown).toEqual({ start: 1_000 - MAX_SHOWN / WEIGHT, end: 1_000 });
});

test("what is in view stays, however heavy it is", () => {
  const extent = extentOf(0, 100, () => 8_000);
  const shown: Range = { start: 50, end: 56 };
  expect(earlier(shown, extent, { start: 50, end: 56 })).toEqual({ start: 49, end: 56 });
  expect(earlier(shown, extent, { start: 50, end: 51 })).toEqual({ start: 49, end: 55 });
  expect(later(shown, extent, { start: 50, end: 56 })).toEqual({ start: 50, end: 57 });
  expect(later(shown, extent, { start: 55, end: 56 })).toEqual({ start: 51, end: 57 });
});

test("there is a limit to what stays in view", () => {
  const extent = extentOf(0, 100, () => 8_000);
  let shown: Range = { start: 90, end: 100 };
  for (let at = 0; at < 100; at += 1) {
    shown = earlier(shown, extent, shown);
    expect(weightOf(shown, extent)).toBeLessThanOrEqual(MAX_KEPT);
  }
  expect(shown).toEqual({ start: 0, end: MAX_KEPT / 8_000 });
});

test("items that went meanwhile give way to the first that there are", () => {
  expect(within({ start: 0, end: 50 }, extentOf(500, 400))).toEqual({
    start: 500,
    end: 500 + PAGE / WEIGHT,
  });
});

test("a slow machine shows less at once", () => {
  const shown = { start: 500, end: 520 };
  const extent = extentOf(0, 1_000);
  expect(earlier(shown, extent, undefined, 2_000).start).toBe(500 - 2_000 / WEIGHT);
  expect(later(shown, extent, undefined, 2_000).end).toBe(520 + 2_000 / WEIGHT);
});
