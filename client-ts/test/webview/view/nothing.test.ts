// What an empty list says, and where it leads.
import { render } from "lit-html";
import { expect, test } from "vitest";

import { EMPTY_LIST, reduceList } from "../../../webview/model/list/listState.js";
import { INITIAL } from "../../../webview/model/state.js";
import { nothingListed } from "../../../webview/view/list/nothing.js";

function shown(filter: string): string[] {
  const counts = { from: 0, matched: 0, total: 6, hasMore: false, totals: "" };
  const page = {
    ...counts,
    scope: "workspace" as const,
    sort: "recent" as const,
    filter,
    rows: [],
  };
  const list = reduceList(EMPTY_LIST, { type: "history", page });
  const element = document.createElement("div");
  const view = { state: { ...INITIAL, list }, now: 0, send: () => undefined };
  render(nothingListed(view, []), element);
  return [...element.querySelectorAll("p, button, a")].map(({ textContent }) => textContent.trim());
}

test("without tasks in this workspace, the list counts those of others", () => {
  expect(shown("")).toEqual(["Nothing in this workspace yet.", "Show 6 tasks of other workspaces"]);
});

test("a filter that nothing matches here leads to all workspaces, and promises no matches", () => {
  expect(shown("product:kilo")).toEqual(["No task matches.", "Search all workspaces"]);
});
