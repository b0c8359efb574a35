import { expect, test } from "vitest";

import { Portions } from "../../../webview/page/reading/portions.js";

const MOST = 8_000;

/** Draw on a machine that needs these times, in ms, and return the weight of each frame. */
function drawing(perFrame: number, perThousand: number): number[] {
  const portions = new Portions(MOST);
  return Array.from({ length: 12 }, () => {
    const { weight } = portions;
    portions.note(0, perFrame);
    portions.note(weight, perFrame + (weight / 1_000) * perThousand);
    return weight;
  });
}

test("a fast machine draws as much in each frame as is sensible", () => {
  expect(new Set(drawing(2, 1))).toEqual(new Set([MOST]));
});

test("a slow machine draws less, until a frame takes no longer than it may", () => {
  const weight = drawing(4, 4).at(-1) ?? 0;
  expect(weight).toBeLessThan(MOST);
  expect(4 + (weight / 1_000) * 4).toBeLessThanOrEqual(18);
});

test("however slow a machine is, each frame draws something", () => {
  expect(drawing(500, 500).at(-1)).toBe(2_000);
});

test("a machine that was busy for a frame draws as much as before after a few", () => {
  const portions = new Portions(MOST);
  portions.note(MOST, 400);
  expect(portions.weight).toBe(2_000);
  for (let frame = 0; frame < 12; frame += 1) {
    portions.note(portions.weight, (portions.weight / 1_000) * 1);
  }
  expect(portions.weight).toBe(MOST);
});

test("a drawing that adds little does not tell how fast a machine is", () => {
  const portions = new Portions(MOST);
  portions.note(10, 30);
  expect(portions.weight).toBe(MOST);
});
