// What a reader sees stays in its place, whatever arrives and whenever it is drawn.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { FromWebview, ToWebview } from "../../../src/panel/messages.js";
import { pageEndOf } from "../../../webview/model/openRun.js";
import { Page } from "../../../webview/page/page.js";
import type { TaskEvent } from "../../../src/protocol.js";
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
const HEIGHTS = {
  "li.tool": 20,
  "li[data-at]": 100,
  ".activity": 20,
  ".more": 30,
  ".goal": 40,
  dl: 300,
};

/** A page on a running conversation, which it follows, in a view of this height in CSS pixels. */
function following(height = 250, others: Readonly<Record<string, number>> = {}) {
  const requests: FromWebview[] = [];
  const saved: unknown[] = [];
  const page = new Page(
    {
      postMessage: (request) => requests.push(request),
      getState: () => undefined,
      setState: (state) => saved.push(state),
    },
    document,
  );
  const draw = (): void => {
    vi.advanceTimersByTime(400);
  };
  const heights = { ...others, ...HEIGHTS };
  const view = arrange(height, heights);
  page.start();
  page.send({ type: "open", taskId: "t1" });
  page.send({ type: "task", task: task() });
  draw();
  return { requests, saved, page, draw, view, heights };
}

/** Messages that are long enough to be items of their own. */
function messages(count: number, first = 1): ToWebview {
  const all = Array.from({ length: count }, (_, at) => message(`m${first + at}`, LONG));
  return { type: "events", taskId: "t1", events: numbered(all, first) };
}

function scrollBy(pixels: number): void {
  const scroller = document.querySelector("#scroller");
  if (scroller !== null) {
    scroller.scrollTop += pixels;
    scroller.dispatchEvent(new Event("scroll"));
  }
}

function shownSeqs(): string[] {
  const items = [...document.querySelectorAll<HTMLElement>("li[data-seq]")];
  return items.map(({ dataset }) => dataset["seq"] ?? "");
}

/** The items in view, by their events, and where each begins. */
function inView(): Record<string, number> {
  const items = [...document.querySelectorAll<HTMLElement>("li[data-seq]")].map((item) => {
    const { top, bottom } = item.getBoundingClientRect();
    return { seq: item.dataset["seq"] ?? "", top, bottom };
  });
  const seen = items.filter(({ top, bottom }) => bottom > 0 && top < 250);
  return Object.fromEntries(seen.map(({ seq, top }) => [seq, top]));
}

function topOf(seq: string): number | undefined {
  return document.querySelector(`li[data-seq="${seq}"]`)?.getBoundingClientRect().top;
}

test("a flood is drawn a few items a frame", () => {
  const { page, draw } = following();
  page.send(messages(40));
  draw();
  page.send(messages(40, 41));
  const drawn = new Set(shownSeqs());
  const fresh = Array.from({ length: 30 }, () => {
    vi.advanceTimersToNextFrame();
    const added = shownSeqs().filter((seq) => !drawn.has(seq));
    added.forEach((seq) => drawn.add(seq));
    return added.length;
  });
  expect(Math.max(...fresh)).toBeLessThanOrEqual(3);
  expect(shownSeqs()).toContain("80");
  expect(shownSeqs().length).toBeGreaterThan(4);
});

test("a reader who leaves the end keeps their place, although more has arrived than is drawn", () => {
  const { page, draw } = following();
  page.send(messages(40));
  draw();
  page.send(messages(40, 41));
  scrollBy(-60);
  const before = inView();
  expect(Object.keys(before)).toContain("40");
  draw();
  expect(inView()).toEqual(before);
});

test("so does one who leaves the end before a part that does not follow on is drawn", () => {
  const { page, draw, requests } = following();
  page.send(messages(40));
  draw();
  page.send(messages(40, 1_000));
  scrollBy(-60);
  const before = inView();
  draw();
  expect(inView()).toEqual(before);
  page.send({ type: "later" });
  expect(requests.at(-1)).toEqual({ type: "page", taskId: "t1", side: "after", seq: 40 });
});

test("what arrived before a reader left the end is there when they return", () => {
  const { page, draw } = following();
  page.send(messages(40));
  draw();
  page.send(messages(3, 41));
  scrollBy(-60);
  draw();
  page.send({ type: "jumpToEnd" });
  expect(Object.keys(inView())).toContain("43");
});

test("End leads to the newest message, unless it is pressed in a field", () => {
  const { page, draw } = following();
  page.send(messages(40));
  draw();
  scrollBy(-60);
  page.send(messages(40, 41));
  draw();
  const scroller = document.querySelector("#scroller");
  const field = document.createElement("input");
  scroller?.append(field);
  const press = (on: Element | null): string[] => {
    on?.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true }));
    draw();
    return Object.keys(inView());
  };
  expect(press(field)).not.toContain("80");
  expect(press(scroller)).toContain("80");
});

test("a reader near the end keeps their place when what follows the items disappears", () => {
  const { page, draw } = following();
  const variable = { type: "emit", name: "lines", value: 12 } as const;
  page.send(messages(40));
  page.send({ type: "events", taskId: "t1", events: numbered([variable], 41) });
  draw();
  scrollBy(-100);
  draw();
  const before = inView();
  expect(Object.keys(before)).toEqual(["40"]);
  page.send(messages(1, 42));
  draw();
  expect(inView()).toEqual(before);
});

test("a reader of what follows the items keeps their place when more arrives", () => {
  const { page, draw } = following();
  const variable = { type: "emit", name: "lines", value: 12 } as const;
  page.send(messages(40));
  page.send({ type: "events", taskId: "t1", events: numbered([variable], 41) });
  draw();
  scrollBy(-20);
  draw();
  const top = () => document.querySelector(".fold")?.getBoundingClientRect().top;
  const before = top();
  page.send(messages(1, 42));
  draw();
  expect([Object.keys(inView()), top()]).toEqual([[], before]);
});

/** A run of calls with long outputs, folded to a line each; the page receives it as it asks. */
function longCalls(count: number, height: number) {
  const output = "x".repeat(20_000);
  const calls = Array.from({ length: count + 10 }, (_, at) => {
    return {
      type: "tool",
      toolCallId: `c${at}`,
      name: "read",
      status: "completed",
      output,
    } as const;
  });
  const all = numbered(calls);
  const { page, draw, view, requests } = following(height);
  const send = (events: readonly TaskEvent[]): void => {
    page.send({ type: "events", taskId: "t1", events });
    draw();
  };
  const answer = (): void => {
    for (let request = requests.shift(); request !== undefined; request = requests.shift()) {
      if (request.type === "page" && request.side === "before") {
        const { seq } = request;
        const events = all.slice(Math.max(0, seq - 7), seq - 1);
        page.send({ type: "page", taskId: "t1", side: "before", seq, events });
        draw();
      }
    }
  };
  send(all.slice(count - 6, count));
  answer();
  return { page, send, answer, draw, view, further: all.slice(count) };
}

function numbersShown(): number[] {
  return [...document.querySelectorAll<HTMLElement>("li[data-seq]")].map((item) =>
    Number(item.dataset["seq"]),
  );
}

test("a tall panel is filled with folded calls, however long their outputs are", () => {
  const { send, answer, further } = longCalls(100, 1_000);
  expect(numbersShown()[0]).toBeLessThan(100 - 1_000 / 20);
  for (const event of further) {
    send([event]);
    answer();
    const [shown, scroller] = [numbersShown(), document.querySelector("#scroller")];
    expect([shown.at(-1), shown.length > 1_000 / 20]).toEqual([event.seq, true]);
    expect(scroller?.scrollTop).toBe((scroller?.scrollHeight ?? 0) - 1_000);
  }
});

test("a reader who has everything in view follows the end", () => {
  const { page, send, answer, draw, further } = longCalls(20, 1_000);
  page.send({ type: "earlier" });
  page.send({ type: "leaveEnd" });
  draw();
  answer();
  expect(document.querySelector(".jump")).toBeNull();
  send(further);
  expect(numbersShown().at(-1)).toBe(30);
});

test("a panel that becomes taller is filled", () => {
  const { answer, draw, view } = longCalls(100, 200);
  const before = numbersShown().length;
  view.height = 1_000;
  window.dispatchEvent(new Event("resize"));
  draw();
  answer();
  expect(numbersShown().length).toBeGreaterThan(Math.max(before, 50));
});

/** Let a test say when the page has another size. */
function observers(): { notify(): void } {
  const notifications: (() => void)[] = [];
  class Observer extends ResizeObserver {
    constructor(callback: ResizeObserverCallback) {
      super(callback);
      notifications.push(() => {
        callback([], this);
      });
    }
  }
  vi.stubGlobal("ResizeObserver", Observer);
  return {
    notify: () => {
      notifications.forEach((notification) => {
        notification();
      });
    },
  };
}

test("a panel that becomes taller and shorter again before its scroll event stays at the end", () => {
  const observed = observers();
  const { page, draw, view } = following();
  page.send(messages(40));
  draw();
  const scrollTop = (): number => document.querySelector("#scroller")?.scrollTop ?? 0;
  const resize = (height: number): void => {
    view.height = height;
    scrollTop(); // The layout moves what is shown along.
    observed.notify();
  };
  const before = scrollTop();
  resize(400);
  resize(250);
  expect(scrollTop()).toBe(before - 150);
  scrollBy(0);
  draw();
  expect(document.querySelector(".jump")).toBeNull();
});

test("a reader keeps their place when another width makes all items taller", () => {
  const observed = observers();
  const width = vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(600);
  const { page, draw, heights } = following();
  page.send(messages(40));
  draw();
  scrollBy(-160);
  draw();
  const [seq, top] = Object.entries(inView()).find(([, top]) => top >= 0) ?? ["", 0];
  heights["li[data-at]"] = 170;
  width.mockReturnValue(300);
  expect(inView()[seq]).not.toBe(top);
  observed.notify();
  expect(inView()[seq]).toBe(top);
});

test("the place is saved at once when the reader stops scrolling, for a reload right after it", () => {
  const { saved, page, draw } = following();
  page.send(messages(20));
  draw();
  scrollBy(-300);
  vi.advanceTimersByTime(20);
  scrollBy(-200);
  const before = saved.length;
  document.querySelector("#scroller")?.dispatchEvent(new Event("scrollend"));
  expect(saved.length).toBe(before + 1);
  expect(saved.at(-1)).toHaveProperty("reading.seq");
});

test("a reload returns to a place that needs more below it than is shown at first", () => {
  arrange(2_000, HEIGHTS);
  const requests: FromWebview[] = [];
  const page = new Page(
    {
      postMessage: (request) => requests.push(request),
      getState: () => ({ goal: "", taskId: "t1", reading: { seq: 20, below: -40 } }),
      setState: () => undefined,
    },
    document,
  );
  page.start();
  page.send({ type: "task", task: task() });
  page.send(messages(10, 91)); // What a follower receives: the end.
  for (let request = requests.shift(); request !== undefined; request = requests.shift()) {
    if (request.type === "page") {
      const first = request.side === "before" ? Math.max(1, request.seq - 79) : request.seq + 1;
      const count = request.side === "before" ? request.seq - first : 40;
      const { events } = messages(count, first) as Extract<ToWebview, { type: "events" }>;
      page.send({ ...request, events });
    }
    vi.advanceTimersByTime(400);
  }
  expect(inView()["20"]).toBe(-40);
  expect(document.querySelector(".jump")).not.toBeNull();
});

test("a reload returns to a place that needs more above it than is shown at first", () => {
  arrange(2_000, HEIGHTS);
  const page = new Page(
    {
      postMessage: () => undefined,
      getState: () => ({ goal: "", taskId: "t1", reading: { seq: 60, below: 900 } }),
      setState: () => undefined,
    },
    document,
  );
  page.start();
  page.send({ type: "task", task: task() });
  const { events } = messages(100) as Extract<ToWebview, { type: "events" }>;
  page.send({ type: "page", taskId: "t1", side: "before", seq: pageEndOf(60), events });
  vi.advanceTimersByTime(2_000);
  expect(topOf("60")).toBe(900);
});

test("lines that are higher by a part of a pixel move nothing when more of them is shown above", () => {
  const { page, draw } = following(250, { "li.message": 100.375 });
  page.send(messages(40));
  draw();
  scrollBy(-60);
  const before = inView();
  const first = shownSeqs()[0];
  draw();
  expect(shownSeqs()[0]).not.toBe(first);
  expect(inView()).toEqual(before);
  for (let step = 0; step < 3; step += 1) {
    page.send({ type: "earlier" });
    draw();
    expect(inView()).toEqual(before);
  }
});

test("a reader who comes close to the start sees more above it, portion after portion", () => {
  const { page, draw } = following();
  page.send(messages(40));
  draw();
  const before = shownSeqs().length;
  scrollBy(-60);
  vi.advanceTimersByTime(50);
  expect(shownSeqs().length - before).toBeLessThanOrEqual(6);
  vi.advanceTimersByTime(2_000);
  expect(document.querySelector("#scroller")?.scrollTop).toBeGreaterThanOrEqual(1_000);
});

test("an image that appears above what is read, or begins above it, moves nothing", () => {
  const { page, draw } = following(250, { "li[data-at]:has(.picture:not([hidden]))": 300 });
  const image = "![Chart](data:image/png;base64,iVBORw0KGgo=)";
  const all = [
    message("m0", `${image}\n\n${LONG}`),
    ...[1, 2, 3].map((at) => message(`m${at}`, LONG)),
  ];
  page.send({ type: "events", taskId: "t1", events: numbered(all) });
  draw();
  scrollBy(-90);
  draw();
  const third = document.querySelectorAll("li[data-at]")[2];
  const top = third?.getBoundingClientRect().top;
  expect(top).toBeDefined();
  document.querySelector("img")?.dispatchEvent(new Event("load"));
  draw();
  expect(third?.getBoundingClientRect().top).toBe(top);
});
