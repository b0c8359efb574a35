import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Ahead } from "../../../webview/page/ahead.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

let now = 0;

/** Texts that take this long to render, in ms, and those of them that were rendered. */
function texts(count: number, ms: number, weight = 1_000) {
  const rendered: number[] = [];
  const all = Array.from({ length: count }, (_, at) => ({
    weight,
    render: () => {
      now += ms;
      rendered.push(at);
    },
  }));
  return { all, rendered };
}

function ahead() {
  now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const ready = vi.fn();
  return { ahead: new Ahead(ready), ready };
}

test("a drawing waits until its texts are rendered, a few in each task", () => {
  const { ahead: one, ready } = ahead();
  const { all, rendered } = texts(6, 3);
  expect(one.delays(all)).toBe(true);
  const tasks: number[] = [];
  while (ready.mock.calls.length === 0) {
    const before = rendered.length;
    vi.runOnlyPendingTimers();
    tasks.push(rendered.length - before);
  }
  expect(one.delays([])).toBe(false);
  expect(tasks).toEqual([2, 2, 2]);
  expect(rendered).toEqual([0, 1, 2, 3, 4, 5]);
});

test("a text that takes longer than a task may is rendered alone", () => {
  const { ahead: one } = ahead();
  const { all, rendered } = texts(2, 50, 5_000);
  one.delays(all);
  vi.runOnlyPendingTimers();
  expect(rendered).toEqual([0]);
});

test("little text is drawn at once", () => {
  const { ahead: one } = ahead();
  expect(one.delays(texts(1, 5).all)).toBe(false);
  expect(one.delays([])).toBe(false);
});

test("what arrives meanwhile is rendered too, but does not delay a drawing for ever", () => {
  const { ahead: one } = ahead();
  let waits = 0;
  while (one.delays(texts(3, 1).all)) {
    waits += 1;
    vi.runAllTimers();
  }
  expect(waits).toBe(4);
  one.drawn();
  expect(one.delays(texts(3, 1).all)).toBe(true);
});

test("nothing more is rendered for a drawing that did not wait", () => {
  const { ahead: one, ready } = ahead();
  const { all, rendered } = texts(6, 20);
  one.delays(all);
  vi.runOnlyPendingTimers();
  one.drawn();
  vi.runAllTimers();
  expect(rendered).toEqual([0]);
  expect(ready).not.toHaveBeenCalled();
});
