import { expect, test } from "vitest";

import { RestartPolicy } from "../../../src/client/backoff.js";

const LIMITS = { maxCrashes: 4, windowMs: 1_000, baseMs: 100, maxMs: 300 };

test("each crash in the window waits twice as long, up to the maximum", () => {
  const policy = new RestartPolicy(LIMITS);
  const waits = [0, 1, 2, 3].map((at) => policy.crashed(at)?.inMs);
  expect(waits).toEqual([100, 200, 300, 300]);
});

test("one crash more than allowed gives up", () => {
  const policy = new RestartPolicy(LIMITS);
  [0, 1, 2, 3].forEach((at) => policy.crashed(at));
  expect(policy.crashed(4)).toBeUndefined();
});

test("crashes outside the window are forgotten", () => {
  const policy = new RestartPolicy(LIMITS);
  [0, 1, 2, 3].forEach((at) => policy.crashed(at));
  expect(policy.crashed(1_003)).toEqual({ attempt: 1, inMs: 100 });
});
