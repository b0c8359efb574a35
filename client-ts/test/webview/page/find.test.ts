// The search bar of a conversation, by keyboard: it counts, leads from match to match, and unfolds.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { FromWebview, ToWebview } from "../../../src/panel/messages.js";
import type { TaskEvent } from "../../../src/protocol.js";
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

const WORDS = ["oak", "**pi**ne", "oak and pine", "birch"];

function run(): TaskEvent[] {
  return numbered([
    ...WORDS.map((text, at) => message(`m${at}`, text)),
    { type: "thought", messageId: "t", text: "**Trees**\n\nhidden **la**rch" },
    ...Array.from({ length: 30 }, (_, at) => message(`n${at}`, `tree ${at}`)),
  ]);
}

/** A page on a run whose extension answers what the search reads. */
function opened(events = run()): Page {
  arrange(250, { "li[data-at]": 100, ".goal": 40 });
  const page: Page = new Page(
    {
      postMessage: (posted: FromWebview) => {
        if (posted.type === "read") {
          const { taskId, seq } = posted;
          const next = events.filter((event) => event.seq > seq).slice(0, 10);
          queueMicrotask(() => {
            page.send({ type: "read", taskId, seq, events: next });
          });
        }
      },
      getState: () => undefined,
      setState: () => undefined,
    },
    document,
  );
  page.start();
  const all: ToWebview[] = [
    { type: "open", taskId: "t1" },
    { type: "task", task: task({ goalPrompt: "Count the trees" }) },
    { type: "events", taskId: "t1", events },
  ];
  all.forEach((each) => {
    page.send(each);
  });
  vi.advanceTimersByTime(400);
  page.send({ type: "find" });
  return page;
}

function field(): HTMLInputElement {
  const found = document.querySelector<HTMLInputElement>("#find");
  if (found === null) {
    throw new Error("there is no search bar");
  }
  return found;
}

async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(400);
}

async function type(text: string): Promise<void> {
  field().value = text;
  field().dispatchEvent(new InputEvent("input", { bubbles: true }));
  await settle();
}

async function press(key: string, more: KeyboardEventInit = {}): Promise<void> {
  field().dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more }));
  await settle();
}

/** What is counted, without what only a screen reader gets. */
function count(): string {
  const status = document.querySelector(".find-count")?.cloneNode(true) as Element | undefined;
  status?.querySelectorAll(".sr-only").forEach((each) => {
    each.remove();
  });
  return status?.textContent.trim() ?? "";
}

/** The texts that are marked, and the one that is marked as the current one. */
function marked(name: "find" | "find-current"): string[] {
  const ranges = [...((CSS.highlights.get(name) ?? []) as Iterable<Range>)];
  return ranges.map((range) => range.toString());
}

test.each([{ ctrlKey: true }, { metaKey: true }])(
  "in the side bar, the page itself takes the key of the search: %j",
  async (held) => {
    opened();
    await press("Escape");
    expect(document.querySelector("#find")).toBeNull();
    const log = document.querySelector("#scroller");
    log?.dispatchEvent(new KeyboardEvent("keydown", { key: "f", bubbles: true, ...held }));
    await settle();
    expect(document.activeElement).toBe(field());
  },
);

test("the bar takes the focus, and what is typed is counted and marked", async () => {
  opened();
  expect(document.activeElement).toBe(field());
  await type("OAK");
  expect(count()).toBe("1 of 2");
  expect([marked("find-current"), marked("find")]).toEqual([["oak"], ["oak"]]);
});

test("Enter and Shift+Enter lead from match to match, and around", async () => {
  opened();
  await type("pine");
  const seen: string[] = [];
  for (const shiftKey of [false, false, true]) {
    await press("Enter", { shiftKey });
    seen.push(count());
  }
  expect(seen).toEqual(["2 of 2", "1 of 2", "2 of 2"]);
});

test("a match that emphasis splits is marked as a whole", async () => {
  opened();
  await type("pine");
  expect(marked("find-current")).toEqual(["pine"]);
});

test("a match far above the end is scrolled into view", async () => {
  opened();
  await type("birch");
  const item = document.querySelector('li[data-item="4.0"]')?.getBoundingClientRect();
  expect(item?.top).toBeGreaterThanOrEqual(0);
  expect(item?.top).toBeLessThan(250);
  expect(document.querySelector(".jump")).not.toBeNull();
});

test("a folded thought opens for its match", async () => {
  opened();
  await type("hidden larch");
  expect(document.querySelector<HTMLDetailsElement>("details.thinking")?.open).toBe(true);
});

test("a match in the goal is found above everything", async () => {
  opened();
  await type("count the");
  expect(count()).toBe("1 of 1");
  expect(marked("find-current")).toEqual(["Count the"]);
});

test("the bar says so if nothing matches, and a status for screen readers has the words around", async () => {
  opened();
  await type("spruce");
  expect(count()).toBe("No results");
  await type("and pine");
  const status = document.querySelector('.find [role="status"]');
  expect(status?.textContent).toContain("oak and pine");
});

test("Escape closes the bar, removes the marks and returns to the conversation", async () => {
  opened();
  await type("oak");
  field().dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  await settle();
  expect(document.querySelector(".find")).toBeNull();
  expect([...marked("find"), ...marked("find-current")]).toEqual([]);
  expect(document.activeElement?.id).toBe("scroller");
  expect(document.querySelector(".conversation")).not.toBeNull();
});

test("the command leads back to the field of a search, with its text selected", async () => {
  const page = opened();
  await type("oak");
  document.querySelector<HTMLElement>("#scroller")?.focus();
  page.send({ type: "find" });
  expect(document.activeElement).toBe(field());
  expect(field().selectionEnd).toBe(3);
  expect(count()).toBe("1 of 2");
});

test("what is selected in the conversation is searched at once", async () => {
  const page = opened();
  await type("birch");
  page.send({ type: "closeFind" });
  const text = document.querySelector('li[data-item="4.0"] p')?.firstChild;
  if (text) {
    document.getSelection()?.setBaseAndExtent(text, 0, text, 5);
  }
  page.send({ type: "find" });
  await settle();
  expect(field().value).toBe("birch");
  expect(count()).toBe("1 of 1");
});

test("the buttons do what the keys do, and are named", async () => {
  opened();
  await type("pine");
  const buttons = [...document.querySelectorAll<HTMLButtonElement>(".find button")];
  expect(buttons.map((each) => each.getAttribute("aria-label"))).toEqual([
    "Previous Match (Shift+Enter)",
    "Next Match (Enter)",
    "Close (Escape)",
  ]);
  buttons[1]?.click();
  await settle();
  expect(count()).toBe("2 of 2");
  buttons[2]?.click();
  await settle();
  expect(document.querySelector(".find")).toBeNull();
});
