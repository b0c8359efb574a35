import { expect, test } from "vitest";

import { EndFollower } from "../../../webview/page/reading/endFollower.js";

/** A scroller of 200 pixels, and questions by their distance from the start and their height. */
function made(height: number, questions: Record<string, readonly [at: number, height: number]>) {
  const scroller = document.createElement("div");
  let top = 0;
  Object.defineProperties(scroller, {
    scrollHeight: { value: height },
    scrollTop: {
      get: () => top,
      set: (value: number) => {
        top = Math.min(value, height - 200);
      },
    },
  });
  scroller.getBoundingClientRect = () => new DOMRect(0, 50, 300, 200);
  for (const [id, [at, tall]] of Object.entries(questions)) {
    const element = document.createElement("section");
    element.dataset["question"] = id;
    element.getBoundingClientRect = () => new DOMRect(0, 50 + at - top, 300, tall);
    scroller.append(element);
  }
  return scroller;
}

function followed(scroller: HTMLElement, end = new EndFollower()): number {
  end.follow(scroller);
  return scroller.scrollTop;
}

test("without a question the end is in view", () => {
  expect(followed(made(1_000, {}))).toBe(800);
});

test("a question that fits is shown at the end", () => {
  expect(followed(made(1_000, { r: [850, 100] }))).toBe(800);
});

test("a question that is too tall is shown from its top", () => {
  expect(followed(made(1_000, { q: [100, 50], r: [650, 300] }))).toBe(650);
});

test("a reader who scrolls inside of a tall question is left there", () => {
  const [scroller, end] = [made(1_000, { r: [650, 300] }), new EndFollower()];
  followed(scroller, end);
  scroller.scrollTop = 730;
  expect([followed(scroller, end), end.isAtQuestion]).toEqual([730, true]);
  expect([followed(made(1_000, {}), end), end.isAtQuestion]).toEqual([800, false]);
});

test("a question out of view does not keep the reader from the end", () => {
  expect(followed(made(1_000, { r: [100, 300] }))).toBe(800);
});
