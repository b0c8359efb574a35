import { beforeEach, expect, test, vi } from "vitest";

import type { FromWebview, ToWebview } from "../../../src/panel/messages.js";
import { Page } from "../../../webview/page/page.js";

const READY: readonly ToWebview[] = [
  { type: "service", state: { kind: "running" } },
  { type: "runs", runs: [] },
  {
    type: "definitions",
    items: [
      { name: "tester", runner: "r", description: "Tests.", source: { path: "/t", level: "user" } },
    ],
    problems: [],
  },
];

beforeEach(() => {
  document.body.innerHTML = `<div id="app"></div><div id="announcements"></div>`;
});

/** A side bar whose page has a composer; `saved` is what an earlier page left. */
function composer(saved?: unknown) {
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
  const tell = async (...messages: readonly ToWebview[]): Promise<void> => {
    messages.forEach((each) => {
      page.send(each);
    });
    await drawn();
  };
  return { tell, asked, state };
}

const drawn = (): Promise<void> =>
  vi.waitUntil(() => document.querySelector("#goal") !== null).then(() => undefined);

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

function chips(): (string | undefined)[] {
  const all = document.querySelectorAll('ul[aria-label="Attached files"] li');
  return [...all].map(({ textContent }) => textContent.trim());
}

/** Fire a paste or a drop with this data, as a browser does; return whether the page handled it. */
function transfer(
  type: "paste" | "drop",
  files: readonly File[],
  texts: Readonly<Record<string, string>> = {},
): boolean {
  const data = { files, getData: (kind: string) => texts[kind] ?? "" };
  const event = new Event(type, { bubbles: true, cancelable: true });
  Object.assign(event, type === "paste" ? { clipboardData: data } : { dataTransfer: data });
  return !find("#goal").dispatchEvent(event);
}

const attaches = (asked: readonly FromWebview[]) => asked.filter(({ type }) => type === "attach");
const PNG = new File([new Uint8Array([137, 80, 78, 71])], "image.png", { type: "image/png" });

test("attached files are chips, go into the launch and are gone after it", async () => {
  const { tell, asked } = composer();
  await tell(...READY, { type: "attached", paths: ["/w/a b.png", "/w/c.md", "/w/c.md"] });
  expect(chips()).toEqual(["a b.png", "c.md"]);
  find("[aria-label='Remove c.md']").click();
  await vi.waitFor(() => {
    expect(chips()).toEqual(["a b.png"]);
  });
  const area = goal();
  area.value = "Look";
  area.dispatchEvent(new InputEvent("input"));
  area.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  expect(asked.find(({ type }) => type === "launch")).toMatchObject({ files: ["/w/a b.png"] });
  const sent = { goalPrompt: "Look", files: ["/w/a b.png"] };
  await tell({ type: "launched", taskId: "t", sent }, { type: "home" });
  expect(chips()).toEqual([]);
});

test("attached files survive the page", async () => {
  const first = composer();
  await first.tell(...READY, { type: "attached", paths: ["/w/a.png"] });
  await vi.waitFor(() => {
    expect(first.state.saved).toMatchObject({ files: ["/w/a.png"] });
  });
  document.body.innerHTML = `<div id="app"></div><div id="announcements"></div>`;
  await composer(first.state.saved).tell(...READY);
  expect(chips()).toEqual(["a.png"]);
});

test("the button asks for files, and the reason why one is not attached is above the goal", async () => {
  const { tell, asked } = composer();
  await tell(...READY);
  find("[aria-label='Attach…']").click();
  expect(attaches(asked)).toEqual([{ type: "attach" }]);
  await tell({ type: "attachFailed", message: "x is not a file." });
  await vi.waitFor(() => {
    expect(find(".problem").textContent).toContain("x is not a file.");
  });
  await tell({ type: "attached", paths: ["/w/y.png"] });
  await vi.waitFor(() => {
    expect(document.querySelector(".problem")).toBeNull();
  });
});

test("the reason why a file is not attached is also shown while a launch is sent", async () => {
  const { tell } = composer();
  await tell(...READY, { type: "launching" }, { type: "attachFailed", message: "No file." });
  await vi.waitFor(() => {
    expect(find(".problem").textContent).toContain("No file.");
  });
  expect(find(".composer button[type=submit]").matches(":disabled")).toBe(true);
});

test("a pasted image is attached, and pasted text stays text", async () => {
  const { tell, asked } = composer();
  await tell(...READY);
  expect(transfer("paste", [PNG], { "text/plain": "cells of a table" })).toBe(false);
  expect(transfer("paste", [])).toBe(false);
  expect(transfer("paste", [PNG])).toBe(true);
  const contents = [{ name: "image.png", data: "iVBORw==" }];
  await vi.waitFor(() => {
    expect(attaches(asked)).toEqual([{ type: "attach", contents }]);
  });
});

test("dropped files of the editor are attached by their addresses, others with their content", async () => {
  const { tell, asked } = composer();
  await tell(...READY);
  const uris = ["file:///w/a%20b.md", "vscode-remote://host/w/c.md"];
  expect(transfer("drop", [], { "application/vnd.code.uri-list": uris.join("\r\n") })).toBe(true);
  expect(attaches(asked)).toEqual([{ type: "attach", uris }]);
  expect(transfer("drop", [], { "text/uri-list": "https://example.org/" })).toBe(false);
  expect(transfer("drop", [PNG])).toBe(true);
  await vi.waitFor(() => {
    expect(attaches(asked)[1]).toHaveProperty("contents");
  });
});

test("a content that no agent would get is refused at once", async () => {
  const { tell, asked } = composer();
  await tell(...READY);
  transfer("paste", [new File([new Uint8Array(10 * 1024 * 1024 + 1)], "big.png")]);
  await vi.waitFor(() => {
    expect(find(".problem").textContent).toContain("big.png is larger than 10 MiB.");
  });
  expect(attaches(asked)).toEqual([]);
});

test("what is added to a goal comes after what it says", async () => {
  const { tell } = composer();
  await tell(...READY, { type: "addToGoal", text: "@a.py#L3-L9" });
  expect(goal().value).toBe("@a.py#L3-L9 ");
  await tell({ type: "addToGoal", text: "@b.py" });
  expect(goal().value).toBe("@a.py#L3-L9 @b.py ");
  expect(document.activeElement?.id).toBe("goal");
});
