// A thought is shown as messages are, unless it is long.
import { render } from "lit-html";
import { expect, test } from "vitest";

import { itemTexts } from "../../../webview/model/find/itemTexts.js";
import { appendToTail, EMPTY_TAIL } from "../../../webview/model/conversation/textTail.js";
import type { ThoughtItem } from "../../../webview/model/conversation/items.js";
import { itemView } from "../../../webview/view/conversation/item.js";

const PLACE = { live: true, folder: "/house" };

function thought(text: string): ThoughtItem {
  return { kind: "thought", seq: 1, messageId: "t", ts: 1, text: appendToTail(EMPTY_TAIL, text) };
}

function shown(item: ThoughtItem): HTMLElement {
  const list = document.createElement("ol");
  const context = {
    ...{ ...PLACE, taskId: "t1", answering: new Set<string>(), forms: new Map() },
    send: () => undefined,
  };
  render(itemView(item, 0, context, false), list);
  return list;
}

test("a thought is formatted, and HTML in it is text", () => {
  const item = thought("**Read the days**\n\nSee `src/days.py:2`. <img src=x>");
  const list = shown(item);
  expect(list.querySelector("strong")?.textContent).toBe("Read the days");
  expect(list.querySelector<HTMLElement>(".file")?.dataset["path"]).toBe("src/days.py");
  expect(list.querySelector("img")).toBeNull();
  expect(itemTexts(item, PLACE)).toEqual(["Read the days", "See src/days.py:2. <img src=x>"]);
});

test.each([
  ["long", "a **b** ".repeat(2_000)],
  ["dense", "*a* ".repeat(500)],
])("a %s thought is plain text, which costs little", (_, text) => {
  const item = thought(text);
  expect(shown(item).querySelector(".thinking > p")?.textContent).toBe(text.trim());
  expect(itemTexts(item, PLACE)).toEqual([text.trim()]);
});
