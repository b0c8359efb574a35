// The minimap shows where in the turns of a run a reader is, and leads to any of them.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { ToWebview } from "../../../src/panel/messages.js";
import type { Turn, TurnKind } from "../../../src/panel/turns/turnIndex.js";
import { Page } from "../../../webview/page/page.js";
import { message, numbered, task } from "../samples.js";
import { arrange } from "./layout.js";

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = `<div id="app"></div><div id="announcements"></div>`;
});
afterEach(() => {
  vi.useRealTimers();
});

const LONG = `${"word ".repeat(600)}end`;

/** A page on a run of 40 long messages, each a turn of this kind. */
function opened(
  kinds: Readonly<Record<number, TurnKind>> = {},
  { count = 40, goal = 40 } = {},
): void {
  arrange(250, { "li[data-at]": 100, ".goal": goal });
  const page = new Page(
    {
      postMessage: () => undefined,
      getState: () => undefined,
      setState: () => undefined,
    },
    document,
  );
  page.start();
  const messages = Array.from({ length: count }, (_, at) => message(`m${at + 1}`, LONG));
  const turns = messages.map((_, at): Turn => {
    return { seq: at + 1, kind: kinds[at] ?? "plain", text: `Turn ${at + 1}` };
  });
  const all: ToWebview[] = [
    { type: "open", taskId: "t1" },
    { type: "task", task: task() },
    { type: "events", taskId: "t1", events: numbered(messages) },
    { type: "turns", taskId: "t1", from: 0, turns },
  ];
  all.forEach((each) => {
    page.send(each);
  });
  vi.advanceTimersByTime(400);
}

function minimap(): HTMLElement {
  const found = document.querySelector<HTMLElement>(".minimap");
  if (found === null) {
    throw new Error("there is no minimap");
  }
  return found;
}

function marks(): HTMLElement[] {
  return [...minimap().querySelectorAll<HTMLElement>(".turn")];
}

/** The number of the turn at which the reader is, and what is reported of it. */
function here(): string {
  return `${minimap().getAttribute("aria-valuenow")}: ${minimap().getAttribute("aria-valuetext")}`;
}

function press(key: string, more: KeyboardEventInit = {}): void {
  minimap().dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more }));
  vi.advanceTimersByTime(400);
}

/** Where the message of an event begins in the view. */
function topOf(seq: number): number | undefined {
  return document.querySelector(`li[data-seq="${seq}"]`)?.getBoundingClientRect().top;
}

test("a run of a few turns has no minimap", () => {
  opened({}, { count: 2 });
  expect(document.querySelector(".minimap")).toBeNull();
});

test("each turn has a mark, and says what it is", () => {
  opened({ 3: "question", 5: "failure", 6: "user" });
  expect(marks()).toHaveLength(40);
  expect(marks()[3]?.className).toContain("turn-question");
  expect([3, 5, 6].map((at) => marks()[at]?.title)).toEqual([
    "Turn 4 of 40 · question · Turn 4",
    "Turn 6 of 40 · failure · Turn 6",
    "Turn 7 of 40 · your message · Turn 7",
  ]);
  expect(here()).toBe("40: Turn 40 of 40 · Turn 40");
});

test("a click on a mark shows its turn at the top", () => {
  opened();
  marks()[9]?.click();
  vi.advanceTimersByTime(400);
  expect(topOf(10)).toBe(12);
  expect(here()).toBe("10: Turn 10 of 40 · Turn 10");
  expect(marks().findIndex(({ classList }) => classList.contains("here"))).toBe(9);
});

test("the first turn is shown with the goal above it", () => {
  opened();
  press("Home");
  expect(document.querySelector(".goal")?.getBoundingClientRect().top).toBe(0);
  expect(here()).toContain("1: ");
});

test("the first turn is in view, however long the goal is", () => {
  opened({}, { goal: 1_000 });
  press("Home");
  expect(topOf(1)).toBe(125);
  expect(here()).toContain("1: ");
});

test("arrows move by a turn, and End leads to the end", () => {
  opened();
  press("ArrowUp");
  expect(here()).toContain("39: ");
  press("ArrowUp");
  press("ArrowDown");
  expect(here()).toContain("39: ");
  press("Home");
  press("ArrowUp");
  expect(here()).toContain("1: ");
  press("End");
  expect(here()).toContain("40: ");
  expect(document.querySelector(".jump")).toBeNull();
});

test("Page Up and Page Down lead to questions and failures", () => {
  opened({ 5: "failure", 20: "question", 30: "user" });
  press("PageUp");
  expect(here()).toContain("21: Turn 21 of 40 · question");
  press("PageUp");
  expect(here()).toContain("6: Turn 6 of 40 · failure");
  press("PageUp");
  expect(here()).toContain("1: ");
  press("PageDown");
  press("PageDown");
  expect(here()).toContain("21: ");
  press("PageDown");
  expect(here()).toContain("40: ");
});

test("the minimap keeps the focus, wherever its keys lead", () => {
  opened({ 20: "question" });
  minimap().focus();
  for (const key of ["ArrowUp", "End", "PageUp", "Home"]) {
    press(key);
    expect([key, document.activeElement?.className]).toEqual([key, "minimap"]);
  }
});

test("keys with Ctrl are the editor's", () => {
  opened();
  press("ArrowUp", { ctrlKey: true });
  press("a");
  expect(here()).toContain("40: ");
});

test("the mark follows a reader who scrolls", () => {
  opened();
  const scroller = document.querySelector("#scroller");
  if (scroller !== null) {
    scroller.scrollTop -= 300;
    scroller.dispatchEvent(new Event("scroll"));
  }
  vi.advanceTimersByTime(400);
  const first = [...document.querySelectorAll<HTMLElement>("li[data-seq]")].find(
    (item) => item.getBoundingClientRect().top >= 0,
  );
  expect(minimap().getAttribute("aria-valuenow")).toBe(first?.dataset["seq"]);
  expect(Number(first?.dataset["seq"])).toBeLessThan(38);
});
