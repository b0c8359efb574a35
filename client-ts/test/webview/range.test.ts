import fc from "fast-check";
import { expect, test } from "vitest";

import { earlier, later, latest, MAX_SHOWN, PAGE, within } from "../../webview/model/range.js";

const step = fc.constantFrom(earlier, later, within);

test("whatever the reader does, what is shown exists and is not too much", () => {
  fc.assert(
    fc.property(
      fc.nat(500),
      fc.nat(2_000),
      fc.array(step, { maxLength: 20 }),
      (start, length, steps) => {
        const extent = { start, end: start + length };
        const shown = steps.reduce((range, go) => go(range, extent), latest(extent));
        expect(shown.start).toBeGreaterThanOrEqual(extent.start);
        expect(shown.end).toBeLessThanOrEqual(extent.end);
        expect(shown.end - shown.start).toBeLessThanOrEqual(MAX_SHOWN);
        expect(shown.end > shown.start).toBe(length > 0);
      },
    ),
  );
});

test("going back and forth comes to both ends", () => {
  const extent = { start: 0, end: 1_000 };
  let shown = latest(extent);
  for (let at = 0; at < 10; at += 1) {
    shown = earlier(shown, extent);
  }
  expect(shown).toEqual({ start: 0, end: MAX_SHOWN });
  for (let at = 0; at < 10; at += 1) {
    shown = later(shown, extent);
  }
  expect(shown).toEqual({ start: 1_000 - MAX_SHOWN, end: 1_000 });
});

test("items that were dropped meanwhile give way to the first that there are", () => {
  expect(within({ start: 0, end: 50 }, { start: 500, end: 900 })).toEqual({
    start: 500,
    end: 500 + PAGE,
  });
});
