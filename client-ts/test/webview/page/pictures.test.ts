// Images of a conversation: when they are asked for, and what stays of them while a message grows.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { FromWebview, ToWebview } from "../../../src/panel/messages.js";
import { Page } from "../../../webview/page/page.js";
import { setPictureFolders } from "../../../webview/view/markdown/pictures.js";
import { message, numbered, task, tool } from "../samples.js";

const RUN: ToWebview = { type: "task", task: task({ workspaceDir: "/w" }), takesMessages: true };

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = `<div id="app"></div><div id="announcements"></div>`;
  setPictureFolders([{ path: "/w", uri: "https://own" }]);
});

afterEach(() => {
  setPictureFolders([]);
  vi.useRealTimers();
});

/** A page that shows a run, and the files for which it asked. */
function conversation(saved: object = {}) {
  const asked: string[] = [];
  const host = {
    postMessage: (request: FromWebview) => {
      asked.push(...(request.type === "picture" ? [request.path] : []));
    },
    getState: () => ({ goal: "", taskId: "t1", ...saved }),
    setState: () => undefined,
  };
  const page = new Page(host, document);
  page.start();
  const tell = (...messages: ToWebview[]): void => {
    for (const each of messages) {
      page.send(each);
      vi.advanceTimersByTime(400);
    }
  };
  /** Send the parts of one message, the first of them as event number `first`. */
  const stream = (parts: readonly string[], first = 1, id = "m", taskId = "t1"): void => {
    const events = numbered(
      parts.map((part) => message(id, part)),
      first,
    );
    tell(...events.map((event) => ({ type: "events" as const, taskId, events: [event] })));
  };
  return { asked, tell, stream, page };
}

test("the images of a message that comes before its task are shown too", () => {
  const { asked, tell, stream } = conversation();
  stream(["![A](a.png)"]);
  expect(asked).toEqual([]);
  tell(RUN);
  expect(asked).toEqual(["/w/a.png"]);
});

test("the images of a page of events that comes before its task are shown too", () => {
  const { asked, tell } = conversation({ reading: { seq: 1, below: 0 } });
  const events = numbered([message("m", "![A](a.png)")]);
  tell({ type: "page", taskId: "t1", side: "before", seq: 61, events }, RUN);
  expect(asked).toEqual(["/w/a.png"]);
});

function pictures(): HTMLImageElement[] {
  return [...document.querySelectorAll<HTMLImageElement>("img.picture")];
}

test("an image stays while its message grows, and its file is asked for once", () => {
  const { asked, tell, stream } = conversation();
  tell(RUN);
  stream(["![A](a.png)"]);
  tell({ type: "picture", path: "/w/a.png", version: "1" });
  const [picture] = pictures();
  picture?.dispatchEvent(new Event("load"));
  stream([" and", " more", " words"], 2);
  expect(document.querySelector(".markdown")?.textContent).toContain("A and more words");
  expect(pictures()).toEqual([picture]);
  expect([picture?.hidden, asked]).toEqual([false, ["/w/a.png"]]);
});

test("an image whose file is being checked while its message grows is loaded once", () => {
  const { asked, tell, stream } = conversation();
  tell(RUN);
  stream(["![A](a.png)", " and", " more"]);
  const [picture] = pictures();
  const src = vi.spyOn(HTMLImageElement.prototype, "src", "set");
  tell({ type: "picture", path: "/w/a.png", version: "1" });
  expect(src.mock.contexts).toEqual([picture]);
  expect(asked).toEqual(["/w/a.png"]);
});

test("a message with many images asks for each of them once while it grows", () => {
  const { asked, tell, stream } = conversation();
  tell(RUN);
  const names = Array.from({ length: 100 }, (_, at) => `${at}.png`);
  stream([names.map((name) => `![A](${name})`).join(" "), " and", " more"]);
  expect(pictures()).toHaveLength(100);
  expect(asked).toEqual(names.map((name) => `/w/${name}`));
});

test("an image that was written again is loaded again in a later message", () => {
  const { asked, tell, stream } = conversation();
  tell(RUN);
  stream(["![A](a.png)"]);
  tell({ type: "picture", path: "/w/a.png", version: "1" });
  const call = numbered([tool("screenshot", "completed")], 2);
  tell({ type: "events", taskId: "t1", events: call });
  stream(["![A](a.png)"], 3, "n");
  tell({ type: "picture", path: "/w/a.png", version: "2" });
  stream([" again"], 4, "n");
  expect(asked).toEqual(["/w/a.png", "/w/a.png"]);
  expect(pictures().map(({ src }) => src)).toEqual([
    "https://own/a.png?v=1",
    "https://own/a.png?v=2",
  ]);
});

test("a file that may not be shown is not asked for with each word, but in a later message", () => {
  const { asked, tell, stream } = conversation();
  const refused: ToWebview = { type: "picture", path: "/w/none.png", version: undefined };
  tell(RUN);
  stream(["![A](none.png)"]);
  tell(refused);
  stream([" and", " more"], 2);
  expect(asked).toEqual(["/w/none.png"]);
  tell({ type: "events", taskId: "t1", events: numbered([tool("draw", "completed")], 4) });
  stream(["![A](none.png)"], 5, "n");
  expect(asked).toEqual(["/w/none.png", "/w/none.png"]);
});

test("the images of a closed conversation are not shown in the next one", () => {
  const { asked, tell, stream, page } = conversation();
  tell(RUN);
  stream(["![A](a.png)"]);
  tell({ type: "picture", path: "/w/a.png", version: "1" });
  const [earlier] = pictures();
  page.send({ type: "closeRun" });
  page.send({ type: "openRun", taskId: "t2" });
  stream(["![A](a.png)"], 1, "m", "t2");
  const other = task({ id: "t2", workspaceDir: "/w" });
  tell({ type: "task", task: other, takesMessages: true });
  expect(pictures()).toHaveLength(1);
  expect(pictures()[0]).not.toBe(earlier);
  expect(asked).toEqual(["/w/a.png", "/w/a.png"]);
});
