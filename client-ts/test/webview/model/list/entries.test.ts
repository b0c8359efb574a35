import { expect, test } from "vitest";

import type { HistoryPage, StoredRow } from "../../../../src/panel/listMessages.js";
import { entriesOf } from "../../../../webview/model/list/entries.js";
import { linesIn, offsetsOf } from "../../../../webview/model/list/layout.js";
import {
  AHEAD,
  EMPTY_LIST,
  isInFront,
  type ListState,
  reduceList,
} from "../../../../webview/model/list/listState.js";
import { pageIdOf } from "../../../../src/storedRef.js";
import { row } from "../../samples.js";

const NOW = new Date(2026, 10, 25, 15).getTime();
const HOUR = 3_600_000;

function stored(id: string, hoursAgo: number, more: Partial<StoredRow> = {}): StoredRow {
  return {
    ...{ id, root: "/r", title: id, status: "completed", outcome: "completed", product: "roo" },
    at: NOW - hoursAgo * HOUR,
    ...more,
  };
}

function history(rows: readonly StoredRow[], more: Partial<HistoryPage> = {}): HistoryPage {
  const counts = { from: 0, matched: rows.length, total: rows.length, hasMore: false, totals: "" };
  return { scope: "all", sort: "recent", filter: "", ...counts, rows, ...more };
}

function listed(rows: readonly StoredRow[], more: Partial<HistoryPage> = {}): ListState {
  return reduceList(EMPTY_LIST, { type: "history", page: history(rows, more) });
}

function keys(list: ListState, runs = [row()]): string[] {
  return entriesOf({ runs, list, now: NOW }).map(({ key }) => key);
}

test("what needs the reader comes first, then what runs, waits and ended, then the history by date", () => {
  const runs = [
    row({ id: "done", status: "completed" }),
    row({ id: "next", status: "queued", queuePosition: 1 }),
    row({ id: "works" }),
    row({ id: "asks", asks: "npm test" }),
  ];
  const tasks = [stored("a", 1), stored("b", 20), stored("c", 60), stored("d", 400)];
  expect(keys(listed(tasks), runs)).toEqual([
    ...["group needsYou", "run asks", "group running", "run works"],
    ...["group queued", "run next", "group recent", "run done"],
    ...["group today", "stored /r a", "group yesterday", "stored /r b"],
    ...["group week", "stored /r c", "group older", "stored /r d"],
  ]);
});

test("what ended last is the first of what is recent, however long it ran", () => {
  const ended = (id: string, launchedAt: number, completedAt: number) =>
    row({ id, status: "completed", launchedAt, completedAt });
  const runs = [ended("short", 50, 60), ended("long", 1, 90), ended("first", 5, 10)];
  expect(keys(listed([]), runs)).toEqual(["group recent", "run long", "run short", "run first"]);
});

test("a run that is listed is not listed again as a stored task", () => {
  const tasks = [stored("t1", 1, { own: true }), stored("t1", 1, { root: "/other" })];
  expect(keys(listed(tasks))).toEqual([
    ...["group running", "run t1", "group today", "stored /other t1"],
  ]);
});

test("in the scope of the workspace, runs of other folders are left out unless they ask", () => {
  const runs = [
    row({ id: "there", folder: "other" }),
    row({ id: "asks", folder: "other", asks: "ls" }),
    row({ id: "here" }),
  ];
  const list = listed([], { scope: "workspace" });
  expect(keys(list, runs)).toEqual(["group needsYou", "run asks", "group running", "run here"]);
});

test("a collapsed group keeps its heading and its count", () => {
  const open = listed([stored("a", 1), stored("b", 2)]);
  const list = reduceList(open, { type: "toggleGroup", key: "group today" });
  const entries = entriesOf({ runs: [], list, now: NOW });
  expect(entries).toMatchObject([{ kind: "group", count: 2, isCollapsed: true }]);
});

test("sorted by cost, the history is one group in the order that the sidecar sent", () => {
  const list = listed([stored("a", 400), stored("b", 1)], { sort: "cost" });
  expect(keys(list, [])).toEqual(["group sorted", "stored /r a", "stored /r b"]);
});

test("the last group counts the tasks that were not read, since all of them are its own", () => {
  const rows = [stored("a", 1), stored("b", 400)];
  const headings = (list: ListState) =>
    entriesOf({ runs: [], list, now: NOW }).flatMap((entry) =>
      entry.kind === "group" ? [[entry.group, entry.count, entry.isPartial]] : [],
    );
  const cut = { hasMore: true, matched: 1_200 };
  expect(headings(listed(rows, cut))).toEqual([
    ["today", 1, false],
    ["older", 1_199, false],
  ]);
  expect(headings(listed(rows, { ...cut, sort: "cost" }))).toEqual([["sorted", 1_200, false]]);
  // Which of today's tasks were not read is unknown.
  expect(headings(listed(rows.slice(0, 1), cut))).toEqual([["today", 1, true]]);
  // A pinned one is counted where it is listed.
  expect(headings(listed(rows, { ...cut, pinned: [stored("old", 900)] }))).toEqual([
    ["pinned", 1, false],
    ["today", 1, false],
    ["older", 1_198, false],
  ]);
});

test("a run that is listed above is not counted again before its task is read", () => {
  const rows = [stored("a", 1), stored("b", 400)];
  const at = (hours: number) => NOW - hours * 3_600_000;
  const ended = row({ id: "r", status: "completed", launchedAt: at(900), completedAt: at(900) });
  const begun = row({ id: "s", launchedAt: at(0) });
  const count = (more: Partial<HistoryPage>, runs = [begun, ended]) =>
    entriesOf({ runs, list: listed(rows, { hasMore: true, matched: 1_200, ...more }), now: NOW })
      .flatMap((entry) => (entry.kind === "group" ? [entry.count] : []))
      .at(-1);
  expect(count({}, [])).toBe(1_199);
  expect(count({})).toBe(1_198);
  expect(count({ sort: "cost" })).toBe(1_198);
  const folder = "other";
  expect(count({ sort: "cost" }, [begun, { ...ended, folder }])).toBe(1_198);
  expect(count({ rows: [...rows, stored("r", 900, { own: true })] })).toBe(1_198);
  // The same where it is pinned as a task, which is counted by itself.
  const pinned = [stored("r", 900, { own: true, pinned: true })];
  expect(count({ pinned }, [begun, { ...ended, pinned: true }])).toBe(1_198);
});

test("later pages follow earlier ones, and a new first page replaces all", () => {
  const first = listed([stored("a", 1)], { hasMore: true });
  const page = history([stored("b", 2)], { from: 1 });
  const both = reduceList(first, { type: "history", page });
  expect(both.history?.rows.map(({ id }) => id)).toEqual(["a", "b"]);
  expect(
    reduceList(both, { type: "history", page: history([stored("c", 1)]) }).history?.rows,
  ).toHaveLength(1);
});

test("of 20,000 tasks a few lines are drawn, wherever the reader is", () => {
  const list = listed(Array.from({ length: 20_000 }, (_, at) => stored(`t${at}`, at / 10)));
  const entries = entriesOf({ runs: [], list, now: NOW });
  const offsets = offsetsOf(entries);
  const height = offsets.at(-1) ?? 0;
  for (const top of [0, height / 3, height - 800]) {
    const [first, end] = linesIn(offsets, { top, height: 800 });
    expect(end - first).toBeLessThan(45);
    expect(offsets[first] ?? 0).toBeLessThanOrEqual(top);
    expect(offsets[end] ?? 0).toBeGreaterThanOrEqual(Math.min(height, top + 800));
  }
});

test("what is pinned comes before what is recent, once, until the list is filtered", () => {
  const pinned = stored("b", 20, { pinned: true });
  const tasks = [stored("a", 1), pinned];
  const runs = [row({ id: "done", status: "completed", pinned: true }), row({ id: "works" })];
  const list = listed(tasks, { pinned: [pinned, stored("done", 1, { own: true })] });
  expect(keys(list, runs)).toEqual([
    ...["group running", "run works", "group pinned", "run done", "stored /r b"],
    ...["group today", "stored /r a"],
  ]);
  const filtered = listed(tasks, { pinned: [pinned], filter: "roof" });
  expect(keys(filtered, [])).toEqual([
    ...["group today", "stored /r a", "group yesterday", "stored /r b"],
  ]);
});

test("changes of single rows leave the lines of all others the same objects", () => {
  const tasks = [stored("a", 1), stored("b", 2), stored("c", 3)];
  const before = listed(tasks);
  const lines = entriesOf({ runs: [], list: before, now: NOW });
  const fresh = stored("d", 0);
  const page = history([], { from: 3, changes: { removed: [1], added: [[0, fresh]] } });
  const after = reduceList(before, { type: "history", page });
  const now = entriesOf({ runs: [], list: after, now: NOW });
  expect(now.map(({ key }) => key)).toEqual([
    ...["group today", "stored /r d", "stored /r a", "stored /r c"],
  ]);
  expect([now[2] === lines[1], now[3] === lines[3]]).toEqual([true, true]);
});

test("a stored task in front is the one of its root; a run is also stored in the root of the sidecar", () => {
  const front = (taskId: string) => reduceList(EMPTY_LIST, { type: "front", taskId });
  const [own, other] = [stored("t1", 1, { own: true }), stored("t1", 1, { root: "/other" })];
  const shows = (list: ListState) => [own, other].map((task) => isInFront(list, task));
  expect(shows(front("t1"))).toEqual([true, false]);
  expect(shows(front(pageIdOf({ id: "t1", root: "/other" })))).toEqual([false, true]);
});

test("several selected rows stay selected when another conversation comes to the front", () => {
  const selected = new Set(["stored /r a", "stored /r b"]);
  const list = { ...EMPTY_LIST, selected };
  expect(reduceList(list, { type: "front", taskId: "c" }).selected).toEqual(selected);
});

test("a list that stays the same is not joined again", () => {
  const list = listed([stored("a", 1), stored("b", 2)]);
  const runs = [row()];
  const entries = entriesOf({ runs, list, now: NOW });
  expect(entriesOf({ runs: [...runs], list: { ...list, current: "run t1" }, now: NOW })).toBe(
    entries,
  );
  const ended = [row({ status: "completed" })];
  expect(entriesOf({ runs: ended, list, now: NOW })).not.toBe(entries);
  expect(entriesOf({ runs, list, now: NOW })).toEqual(entries);
});

test("after a jump the lines in view are drawn first, and then those beyond it", () => {
  const scrolled = (list: ListState, top: number) =>
    reduceList(list, { type: "listScrolled", view: { top, height: 800 } });
  const ahead = (list: ListState) => reduceList(list, { type: "drawAhead" });
  const still = ahead(ahead(ahead(scrolled(EMPTY_LIST, 0))));
  expect(still.ahead).toBe(AHEAD);
  expect(scrolled(still, 300).ahead).toBe(AHEAD);
  const jumped = scrolled(still, 5_000);
  expect(jumped.ahead).toBe(0);
  expect(ahead(jumped).ahead).toBeLessThan(AHEAD);
  expect(ahead(ahead(jumped)).ahead).toBe(AHEAD);
  const offsets = offsetsOf(
    entriesOf({
      runs: [],
      list: listed(Array.from({ length: 300 }, (_, at) => stored(`s${at}`, at))),
      now: NOW,
    }),
  );
  const [first, end] = linesIn(offsets, jumped.view, jumped.ahead);
  expect(offsets[first]).toBeLessThanOrEqual(5_000);
  expect(offsets[end]).toBeGreaterThanOrEqual(5_800);
  expect(end - first).toBeLessThanOrEqual(19);
});
