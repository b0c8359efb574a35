import { expect, test } from "vitest";

import type { StoredRow } from "../../../../src/panel/listMessages.js";
import { reduce } from "../../../../webview/model/reduce.js";
import { INITIAL, type State } from "../../../../webview/model/state.js";
import { rangeTo, selectionAfterClick } from "../../../../webview/view/list/selecting.js";

const IDS = ["a", "b", "c", "d"] as const;
const PLAIN = { ctrlKey: false, metaKey: false, shiftKey: false };

function tasks(): State {
  const rows = IDS.map((id): StoredRow => {
    return { id, root: "/r", title: id, status: "completed", outcome: "completed", product: "roo" };
  });
  const counts = { from: 0, matched: 4, total: 4, hasMore: false, totals: "" };
  const page = { scope: "all", sort: "recent", filter: "", ...counts, rows } as const;
  return reduce(INITIAL, { type: "history", page });
}

/** Click rows one after the other; returns the ids of what is selected in the end. */
function clicked(...clicks: readonly [id: string, keys: Partial<typeof PLAIN>][]): string[] {
  const state = clicks.reduce((before, [id, held]) => {
    const key = `stored /r ${id}`;
    const view = { state: before, now: 0, send: () => undefined };
    const keys = selectionAfterClick({ ...PLAIN, ...held }, view, key);
    // The focus moves with the mouse button, before the click.
    return reduce(reduce(before, { type: "focusRow", key }), { type: "select", keys, anchor: key });
  }, tasks());
  return [...state.list.selected].map((key) => key.slice(-1));
}

test("a click selects its row alone, and with Ctrl it adds or removes one", () => {
  expect(clicked(["a", {}], ["b", {}])).toEqual(["b"]);
  expect(clicked(["a", {}], ["c", { ctrlKey: true }])).toEqual(["a", "c"]);
  expect(clicked(["a", {}], ["c", { metaKey: true }], ["a", { metaKey: true }])).toEqual(["c"]);
});

test("a click with Shift selects all from the row that was clicked before", () => {
  expect(clicked(["b", {}], ["d", { shiftKey: true }])).toEqual(["b", "c", "d"]);
  expect(clicked(["c", {}], ["a", { shiftKey: true }]).sort()).toEqual(["a", "b", "c"]);
  expect(clicked(["b", { shiftKey: true }])).toEqual(["b"]);
});

test("a range from a row that is gone has its end", () => {
  const view = { state: tasks(), now: 0, send: () => undefined };
  expect([...rangeTo(view, "stored /r c", "stored /r gone")]).toEqual(["stored /r c"]);
});
