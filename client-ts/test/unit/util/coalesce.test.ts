import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { coalesced, Throttle } from "../../../src/util/coalesce.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Work that ends on request. */
function controlled() {
  const ends: ((result: Promise<number>) => void)[] = [];
  const work = vi.fn(() => new Promise<number>((resolve) => ends.push(resolve)));
  return { ends, work };
}

test("calls during a run share one further run", async () => {
  const { ends, work } = controlled();
  const call = coalesced(work);
  const first = call();
  const others = [call(), call(), call()];
  expect(work).toHaveBeenCalledTimes(1);
  ends[0]?.(Promise.resolve(1));
  expect(await first).toBe(1);
  await vi.waitUntil(() => ends.length === 2);
  ends[1]?.(Promise.resolve(2));
  expect(await Promise.all(others)).toEqual([2, 2, 2]);
  expect(work).toHaveBeenCalledTimes(2);
});

test("a failed run does not keep the next from running", async () => {
  const { ends, work } = controlled();
  const call = coalesced(work);
  const first = call();
  const second = call();
  ends[0]?.(Promise.reject(new Error("no")));
  await expect(first).rejects.toThrow("no");
  await vi.waitUntil(() => ends.length === 2);
  ends[1]?.(Promise.resolve(2));
  expect(await second).toBe(2);
});

test("a burst is one call at once and one at the end", () => {
  const work = vi.fn();
  const throttle = new Throttle(100, work);
  throttle.call();
  throttle.call();
  throttle.call();
  expect(work).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(100);
  expect(work).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(1000);
  expect(work).toHaveBeenCalledTimes(2);
});

test("a disposed throttle calls nobody", () => {
  const work = vi.fn();
  const throttle = new Throttle(100, work);
  throttle.call();
  throttle.call();
  throttle.dispose();
  vi.advanceTimersByTime(1000);
  expect(work).toHaveBeenCalledTimes(1);
});
