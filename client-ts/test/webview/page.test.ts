import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { FromWebview, ToWebview } from "../../src/panel/messages.js";
import { MAX_SHOWN, PAGE } from "../../webview/model/range.js";
import { Page } from "../../webview/page.js";
import { message, numbered, row, task, tool } from "./samples.js";

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = `<div id="app"></div><div id="announcements"></div>`;
});
afterEach(() => {
  vi.useRealTimers();
});

/** A page on a made-up editor; `saved` is what an earlier page had left. */
function shown(saved?: unknown) {
  const asked: FromWebview[] = [];
  const state = { saved };
  const page = new Page(
    {
      postMessage: (request) => asked.push(request),
      getState: () => state.saved,
      setState: (next) => {
        state.saved = next;
      },
    },
    document,
  );
  page.start();
  const tell = (...messages: ToWebview[]): void => {
    messages.forEach((each) => {
      page.send(each);
    });
    vi.advanceTimersByTime(50);
  };
  return { asked, state, tell };
}

const DEFINITIONS: ToWebview = {
  type: "definitions",
  items: [
    { name: "tester", description: "Tests.", runner: "r", source: { path: "/a", level: "user" } },
  ],
  problems: [{ path: "/b.md", line: 3, message: "<b>bad</b>" }],
};
const READY: ToWebview[] = [
  { type: "service", state: { kind: "running" } },
  {
    type: "runs",
    runs: [row(), row({ id: "t2", status: "failed", endReason: "lost", completedAt: 2_000 })],
  },
  DEFINITIONS,
];

function find(selector: string): HTMLElement {
  const element = document.querySelector<HTMLElement>(selector);
  if (element === null) {
    throw new Error(`no ${selector} in ${document.body.innerHTML}`);
  }
  return element;
}

function goal(): HTMLTextAreaElement {
  return find("#goal") as HTMLTextAreaElement;
}

function write(text: string): HTMLTextAreaElement {
  goal().value = text;
  goal().dispatchEvent(new InputEvent("input"));
  return goal();
}

function press(key: string, on = document.activeElement, more: KeyboardEventInit = {}): void {
  on?.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }),
  );
  vi.advanceTimersByTime(50);
}

function button(label: string): HTMLButtonElement {
  const all = [...document.querySelectorAll("button")];
  const found = all.find((each) =>
    (each.getAttribute("aria-label") ?? each.textContent).includes(label),
  );
  if (found === undefined) {
    throw new Error(`no button ${label}`);
  }
  return found;
}

test("the page asks for what it shows", () => {
  expect(shown().asked).toEqual([{ type: "ready" }]);
});

test("runs are listed with their state in words", () => {
  shown().tell(...READY);
  const rows = [...document.querySelectorAll(".run")].map((each) =>
    each.textContent.replace(/\s+/gu, " "),
  );
  expect(rows[0]).toContain("tester");
  expect(rows[0]).toContain("Running");
  expect(rows[1]).toContain("Lost");
});

test("a goal is launched from the keyboard", () => {
  const { asked, tell } = shown();
  tell(...READY);
  const field = write("Do it");
  press("Enter", field, { shiftKey: true });
  press("Enter", field);
  expect(asked.filter(({ type }) => type === "launch")).toEqual([
    { type: "launch", subagentName: "tester", goalPrompt: "Do it", queue: false },
  ]);
});

test("arrow keys move through the list, which is one stop for Tab", () => {
  shown().tell(...READY);
  const rows = [...document.querySelectorAll<HTMLElement>(".run")];
  rows[0]?.focus();
  press("ArrowDown");
  expect(document.activeElement).toBe(rows[1]);
  expect(rows.map(({ tabIndex }) => tabIndex)).toEqual([-1, 0]);
});

test("opening moves the focus into the conversation, Escape back to its row", () => {
  const { asked, tell } = shown();
  tell(...READY);
  find('[data-run="t2"]').click();
  expect(document.activeElement?.id).toBe("scroller");
  expect(asked.at(-1)).toEqual({ type: "follow", taskId: "t2", afterSeq: 0 });
  press("Escape");
  expect((document.activeElement as HTMLElement).dataset["run"]).toBe("t2");
});

test("a run streams into its conversation", () => {
  const { tell } = shown();
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: task() });
  const all = numbered([
    message("a", "Hello "),
    tool("read", "started", "1"),
    message("a", "*you*"),
  ]);
  tell(...all.map((event): ToWebview => ({ type: "events", taskId: "t1", events: [event] })));
  expect(find(".message").textContent.trim()).toBe("Hello you");
  expect(find(".tool").textContent).toContain("running");
});

test("a cancel shows until the run has ended, and its end in plain words", () => {
  const { asked, tell } = shown();
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: task() });
  button("Cancel").click();
  button("Cancel").click();
  vi.advanceTimersByTime(50);
  expect(find(".cancel").textContent).toContain("Cancelling…");
  expect(asked.filter(({ type }) => type === "cancel")).toHaveLength(1);
  const status = "cancelled";
  tell(
    { type: "run", run: row({ status }) },
    { type: "task", task: task({ status, endReason: "cancelledByUser", completedAt: 3_000 }) },
  );
  expect(document.querySelector(".cancel")).toBeNull();
  expect(find(".ending-state").textContent).toContain("You cancelled this subagent.");
});

test("the focus stays in the page when the button that has it goes", () => {
  const { tell } = shown();
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: task() });
  button("Cancel").focus();
  tell({ type: "task", task: task({ status: "cancelled" }) });
  expect(document.activeElement?.id).toBe("scroller");
  press("Escape", document.body);
  expect((document.activeElement as HTMLElement).dataset["run"]).toBe("t1");
});

test("of a long run only a window is in the page", () => {
  const { tell } = shown();
  const many = Array.from({ length: 5_000 }, (_, at) => message(`m${at}`, `text ${at}`));
  tell(
    ...READY,
    { type: "open", taskId: "t1" },
    { type: "events", taskId: "t1", events: numbered(many) },
  );
  expect(document.querySelectorAll(".message")).toHaveLength(PAGE);
  for (let at = 0; at < 5; at += 1) {
    button("earlier").click();
    vi.advanceTimersByTime(50);
  }
  expect(document.querySelectorAll(".message")).toHaveLength(MAX_SHOWN);
  button("Jump to Latest").click();
  vi.advanceTimersByTime(50);
  expect([...document.querySelectorAll(".message")].at(-1)?.textContent.trim()).toBe("text 4999");
});

test("a page made anew has the draft and the conversation of the last one", () => {
  const first = shown();
  first.tell(...READY);
  write("half a goal");
  find('[data-run="t1"]').click();
  document.body.innerHTML = `<div id="app"></div><div id="announcements"></div>`;
  const second = shown(first.state.saved);
  expect(second.asked).toEqual([{ type: "ready" }, { type: "follow", taskId: "t1", afterSeq: 0 }]);
  second.tell(...READY);
  press("Escape", find("#scroller"));
  expect(goal().value).toBe("half a goal");
});

test("hostile words stay words wherever they are shown", () => {
  const words = `<img src=x onerror=alert(1)>`;
  const { tell } = shown();
  tell(...READY, { type: "run", run: row({ goal: words, subagentName: words }) });
  tell({ type: "open", taskId: "t1" });
  const ended = task({ status: "failed", goalPrompt: words, subagentName: words, error: words });
  tell({ type: "task", task: ended });
  tell({
    type: "events",
    taskId: "t1",
    events: numbered([
      message("a", words),
      tool(words, "failed"),
      { type: "emit", name: words, value: words },
      { type: "log", stream: "stderr", text: words },
      { type: "result", text: words },
    ]),
  });
  expect(document.querySelector("img")).toBeNull();
  expect(document.body.textContent).toContain(words);
});

test("without a definition the example is offered", () => {
  const { asked, tell } = shown();
  tell(...READY, { type: "runs", runs: [] }, { type: "definitions", items: [], problems: [] });
  button("Run an Example").click();
  expect(asked.at(-1)).toEqual({ type: "act", action: "runExample" });
});

test("a sidecar that cannot run says why and offers the remedies", () => {
  const { asked, tell } = shown();
  tell({ type: "service", state: { kind: "failed", message: "No Python was found." } });
  expect(find("[role=alert]").textContent).toContain("No Python was found.");
  button("Repair").click();
  expect(asked.at(-1)).toEqual({ type: "act", action: "repair" });
});
