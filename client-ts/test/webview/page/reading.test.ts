import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { Event } from "../../../webview/model/events.js";
import { announcements } from "../../../webview/model/announcing.js";
import { reduce } from "../../../webview/model/reduce.js";
import { INITIAL } from "../../../webview/model/state.js";
import { Announcer, PAUSE_MS } from "../../../webview/page/announcer.js";
import { ScrollWatch } from "../../../webview/page/reading/scrolling.js";
import { message, numbered, task } from "../samples.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function watched() {
  const heard: string[] = [];
  const watch = new ScrollWatch({
    leftEnd: () => heard.push("left"),
    reachedEnd: () => heard.push("reached"),
    nearsStart: () => heard.push("start"),
    nearsEnd: () => heard.push("end"),
  });
  const scroller = (scrollTop: number, scrollHeight = 1_000) => {
    return { scrollTop, scrollHeight, clientHeight: 200 };
  };
  const scroll = (...at: Parameters<typeof scroller>): void => {
    watch.scrolled(scroller(...at));
  };
  const place = (...at: Parameters<typeof scroller>): void => {
    watch.placed(scroller(...at));
  };
  return { heard, scroll, place };
}

test("scrolling up leaves the end, scrolling down to it reaches it", () => {
  const { heard, scroll } = watched();
  scroll(4_800, 5_000);
  scroll(4_600, 5_000);
  scroll(4_700, 5_000);
  scroll(4_795, 5_000);
  expect(heard).toEqual(["reached", "left", "end", "reached"]);
});

test("scrolling up near to the start asks for more", () => {
  const { heard, scroll } = watched();
  scroll(3_000, 5_000);
  scroll(1_100, 5_000);
  scroll(900, 5_000);
  scroll(950, 5_000);
  expect(heard).toEqual(["left", "left", "start"]);
});

test("what the page itself scrolls is not the reader's doing", () => {
  const { heard, scroll, place } = watched();
  place(800);
  scroll(800);
  place(3_000, 5_000);
  scroll(3_000, 5_000);
  place(100, 5_000);
  scroll(100, 5_000);
  place(0, 150);
  scroll(0, 150);
  expect(heard).toEqual([]);
});

test("a reader who scrolls right after the page does is heard", () => {
  const { heard, scroll, place } = watched();
  place(300, 5_000);
  scroll(290, 5_000);
  expect(heard).toEqual(["left", "start"]);
});

test("a small step up leaves the end, however fast the conversation grows", () => {
  const { heard, scroll, place } = watched();
  place(4_800, 5_000);
  scroll(4_795, 5_000);
  expect(heard).toEqual(["left"]);
});

test("a view that grows at the end is not the reader scrolling", () => {
  const { heard, scroll, place } = watched();
  place(300, 500);
  scroll(298, 500);
  expect(heard).toEqual([]);
});

test("of many messages at once the newest are read out", () => {
  const many = Array.from({ length: 50 }, (_, at) => `text ${at}`);
  expect(announced(OPEN, 0, events(...many))).toEqual(["text 46", "text 47", "text 48"]);
});

test("a page that grows is not the reader leaving its end", () => {
  const { heard, scroll } = watched();
  scroll(800);
  scroll(800, 1_500);
  scroll(1_300, 1_500);
  expect(heard).not.toContain("left");
});

const OPEN: Event[] = [
  { type: "openRun", taskId: "t1" },
  { type: "task", task: task() },
];

function announced(given: Event[], since: number, last: Event): string[] {
  const before = given.reduce(reduce, INITIAL);
  return announcements(before, reduce(before, last), since);
}

function events(...messages: string[]): Event {
  const all = messages.map((text, at) => message(`m${at}`, text));
  return { type: "events", taskId: "t1", events: numbered(all) };
}

test("a message is read out when it is whole", () => {
  expect(announced(OPEN, 0, events("first", "second"))).toEqual(["first"]);
});

test("a message is read out without its Markdown marks", () => {
  const text = "## Plan\n\nI will fix `src/days.py`. See **the** [docs](https://example.com).";
  expect(announced(OPEN, 0, events(text, "second"))).toEqual([
    "Plan\n\nI will fix src/days.py. See the docs.",
  ]);
});

test("what was there before is not read out", () => {
  expect(announced(OPEN, 60_000, events("first", "second"))).toEqual([]);
});

test("the end is read out with the last message", () => {
  const end: Event = { type: "task", task: task({ status: "failed", endReason: "timeout" }) };
  expect(announced([...OPEN, events("only")], 0, end)).toEqual([
    "only",
    "The subagent reached its time limit.",
  ]);
});

test("a result that is in no message is read out after the end", () => {
  const output = { terminate_reason: "GOAL", emitted_vars: {}, final_message: "All is **done**." };
  const end: Event = {
    type: "task",
    task: task({ status: "completed", endReason: "goal", output }),
  };
  expect(announced([...OPEN, events("only")], 0, end)).toEqual([
    "only",
    "The subagent finished its work.",
    "Result: All is done.",
  ]);
  expect(announced([...OPEN, events("All is **done**.")], 0, end)).toEqual([
    "All is done.",
    "The subagent finished its work.",
  ]);
});

test("a question is read out with its files in the workspace", () => {
  const open: Event[] = [...OPEN, { type: "task", task: task({ workspaceDir: "/house" }) }];
  const type = "permission" as const;
  const call = { requestId: "r", title: "Edit", toolKind: "edit", paths: ["/house/src/days.py"] };
  const asked = { ...call, type, state: "asked" as const, options: [] };
  const last: Event = { type: "events", taskId: "t1", events: numbered([asked]) };
  expect(announced(open, 0, last)).toEqual(["Needs your answer: Make this edit? src/days.py"]);
});

test("announcements are spaced, and none is lost", () => {
  const region = { textContent: "" };
  const announcer = new Announcer(region);
  announcer.say(["one"]);
  announcer.say(["two"]);
  announcer.say(["three"]);
  expect(region.textContent).toBe("one");
  vi.advanceTimersByTime(PAUSE_MS);
  expect(region.textContent).toBe("two. three");
});
