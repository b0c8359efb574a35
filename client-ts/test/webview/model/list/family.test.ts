import { expect, test } from "vitest";

import type { RunRow } from "../../../../src/panel/listMessages.js";
import { entriesOf } from "../../../../webview/model/list/entries.js";
import { EMPTY_LIST, type ListState } from "../../../../webview/model/list/listState.js";
import { row } from "../../samples.js";

const LIST: ListState = { ...EMPTY_LIST, scope: "all" };

/** Return the lines of the list; a run is indented by its depth. */
function lines(runs: readonly RunRow[]): string[] {
  return entriesOf({ runs, list: LIST, now: 0 }).map((entry) =>
    entry.kind === "run" ? `${"  ".repeat(entry.depth)}${entry.run.id}` : entry.key,
  );
}

test("what a run launched is below it, whether it works, waits or has ended", () => {
  const runs = [
    row({ id: "deepest", parent: "works" }),
    row({ id: "waits", parent: "lead", status: "queued" }),
    row({ id: "works", parent: "lead" }),
    row({ id: "ended", parent: "lead", status: "completed" }),
    row({ id: "other" }),
    row({ id: "lead" }),
  ];
  const family = ["lead", "  waits", "  works", "    deepest", "  ended"];
  expect(lines(runs)).toEqual(["group running", "other", ...family]);
  expect(entriesOf({ runs, list: LIST, now: 0 })[0]).toMatchObject({ count: 4 }); // that are running
});

test("a run that works is not below one that has ended", () => {
  const runs = [row({ id: "works", parent: "lead" }), row({ id: "lead", status: "completed" })];
  expect(lines(runs)).toEqual(["group running", "works", "group recent", "lead"]);
});

test("a run whose parent is not listed is listed by itself", () => {
  expect(lines([row({ id: "works", parent: "gone" })])).toEqual(["group running", "works"]);
});

test("a run that asks needs the reader, not its parent", () => {
  const runs = [row({ id: "asks", parent: "lead", asks: "npm test" }), row({ id: "lead" })];
  expect(lines(runs)).toEqual(["group needsYou", "asks", "group running", "lead"]);
});

test("recent runs are few, with those that they launched", () => {
  const children = Array.from({ length: 9 }, (_, at) =>
    row({ id: `child${at}`, parent: "lead", status: "completed" }),
  );
  const found = lines([row({ id: "lead", status: "completed" }), ...children]);
  expect(found.slice(0, 3)).toEqual(["group recent", "lead", "  child0"]);
  expect(found).toHaveLength(9);
});
