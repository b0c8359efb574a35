import { expect, test } from "vitest";

import { mapConcurrent } from "../../../src/util/mapConcurrent.js";

test("no more is done at a time than is allowed, and the outcomes keep their order", async () => {
  let now = 0;
  let most = 0;
  const outcomes = await mapConcurrent([3, 0, 1, 2, 0], 2, async (turns) => {
    now += 1;
    most = Math.max(most, now);
    for (let turn = 0; turn < turns; turn += 1) {
      await Promise.resolve();
    }
    now -= 1;
    if (turns === 1) {
      throw new Error("one");
    }
    return turns;
  });
  expect(most).toBe(2);
  expect(outcomes.map((each) => (each.status === "fulfilled" ? each.value : "failed"))).toEqual([
    3,
    0,
    "failed",
    2,
    0,
  ]);
});
