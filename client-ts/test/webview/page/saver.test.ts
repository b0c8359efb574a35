import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Saver } from "../../../webview/page/saver.js";

let state = 0;
let kept: unknown[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  [state, kept] = [0, []];
});

afterEach(() => {
  vi.useRealTimers();
});

function saver(): Saver {
  return new Saver(
    0,
    () => state,
    (value) => kept.push(value),
  );
}

test("a change is saved at once, so that a reload right after it keeps it", () => {
  const it = saver();
  state = 1;
  it.soon();
  vi.advanceTimersByTime(0);
  expect(kept).toEqual([1]);
});

test("the changes that follow are saved together", () => {
  const it = saver();
  for (state = 1; state <= 5; state += 1) {
    it.soon();
    vi.advanceTimersByTime(10);
  }
  state = 5;
  vi.advanceTimersByTime(1_000);
  expect(kept).toEqual([1, 5]);
});

test("what a reader stops at is saved at once, even right after another save", () => {
  const it = saver();
  it.now();
  state = 1;
  it.soon();
  it.now();
  expect(kept).toEqual([1]);
  state = 2;
  it.soon();
  vi.advanceTimersByTime(1_000);
  expect(kept).toEqual([1, 2]);
});

test("what did not change is not saved again", () => {
  const it = saver();
  it.soon();
  vi.advanceTimersByTime(1_000);
  expect(kept).toEqual([]);
});
