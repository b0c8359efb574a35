import type {
  HistoryPage,
  ListOptions,
  StoredChanges,
  StoredRow,
} from "../../../src/panel/listMessages.js";
import type { Changes } from "../../../src/protocol.js";
import { storedRef } from "../../../src/storedRef.js";
import type { TaskRef } from "../../../src/taskRef.js";
import { withChanges } from "../../../src/util/rowChanges.js";
import { omit } from "../../../src/util/omit.js";

/** The stored tasks that the page has, and what is known of the rest. */
export interface History extends Omit<
  HistoryPage,
  "rows" | "from" | "changes" | keyof ListOptions
> {
  readonly rows: readonly StoredRow[];
}

/** The list of runs and stored tasks, as the reader left it. */
export interface ListState extends ListOptions {
  /** Undefined until the extension sends it. */
  readonly history?: History;
  /** How much stored tasks changed that were in view, by the keys of their rows. */
  readonly changes: ReadonlyMap<string, Changes>;
  /** Whether more stored tasks were requested. */
  readonly isLoading: boolean;
  /** Present while the reader is on the way to the last row, for which the rest is loaded. */
  readonly seeksEnd?: EndSought;
  readonly collapsed: ReadonlySet<string>;
  /** Keys of the rows that commands act on together. */
  readonly selected: ReadonlySet<string>;
  /** The key of the row that was clicked last. */
  readonly anchor?: string;
  /** The key of the row with the keyboard focus. */
  readonly current?: string;
  /** The task whose conversation is in front; without a root, it is in that of the sidecar. */
  readonly front?: TaskRef;
  /** What part of the list is in view, in CSS pixels. */
  readonly view: Viewport;
  /** How far beyond the view lines are drawn, in CSS pixels: after a jump, those in view are drawn first. */
  readonly ahead: number;
}

/** How far beyond the view lines are drawn, in CSS pixels, and how much of that in one frame after a jump. */
export const AHEAD = 400;
const AHEAD_STEP = 200;

/** Where a scroller is, and its height. */
export interface Viewport {
  readonly top: number;
  readonly height: number;
}

/** How the reader goes to the last row. */
export interface EndSought {
  /** The key of the row from which on all are to be selected. */
  readonly from?: string;
}

export type ListEvent =
  | { readonly type: "history"; readonly page: HistoryPage }
  | { readonly type: "changes"; readonly tasks: readonly StoredChanges[] }
  | { readonly type: "front"; readonly taskId?: string }
  | { readonly type: "toggleGroup"; readonly key: string }
  /** The reader goes to a row; the focus follows. */
  | { readonly type: "moveTo"; readonly key: string }
  | { readonly type: "focusRow"; readonly key: string }
  /** Select rows; a range begins at the anchor. */
  | { readonly type: "select"; readonly keys: ReadonlySet<string>; readonly anchor?: string }
  | { readonly type: "listScrolled"; readonly view: Viewport }
  /** The lines in view are drawn: draw more beyond it. */
  | { readonly type: "drawAhead" }
  | { readonly type: "needMore" }
  /** The reader goes to the last row of all, which may not be loaded. */
  | ({ readonly type: "seekEnd" } & EndSought);

export const EMPTY_LIST: ListState = {
  ...{ scope: "workspace", sort: "recent", filter: "" },
  changes: new Map(),
  isLoading: false,
  collapsed: new Set(),
  selected: new Set(),
  view: { top: 0, height: 900 },
  ahead: 0,
};

/** Apply an event to the list. Pure. */
export function reduceList(list: ListState, event: ListEvent): ListState {
  switch (event.type) {
    case "history":
      return withHistory(list, event.page);
    case "changes":
      return { ...list, changes: withCounts(list.changes, event.tasks) };
    case "front":
      return withFront(list, event.taskId);
    case "toggleGroup":
      return { ...list, current: event.key, collapsed: toggled(list.collapsed, event.key) };
    case "moveTo":
    case "focusRow":
      return list.current === event.key ? list : { ...omit(list, "seeksEnd"), current: event.key };
    case "select":
      return { ...list, selected: event.keys, ...(event.anchor && { anchor: event.anchor }) };
    case "listScrolled":
      return isSame(list.view, event.view) ? list : scrolled(list, event.view);
    case "drawAhead":
      return { ...list, ahead: Math.min(AHEAD, list.ahead + AHEAD_STEP) };
    case "needMore":
      return list.history?.hasMore === true ? { ...list, isLoading: true } : list;
    case "seekEnd":
      return list.history?.hasMore === true
        ? { ...list, isLoading: true, seeksEnd: omit(event, "type") }
        : list;
  }
}

function scrolled(list: ListState, view: Viewport): ListState {
  const isJump = Math.abs(view.top - list.view.top) > AHEAD;
  return { ...list, view, ...(isJump && { ahead: 0 }) };
}

function withHistory(list: ListState, page: HistoryPage): ListState {
  const { rows, from, changes, scope, sort, filter, ...history } = page;
  const before = list.history?.rows ?? [];
  const known = from === 0 ? rows : [...before.slice(0, from), ...rows];
  // The same rows again, as when only the totals changed, must not be laid out again.
  const same = rows.length === 0 && from === before.length ? before : known;
  const all = changes === undefined ? same : withChanges(before, changes);
  const seeksOn = list.seeksEnd !== undefined && page.hasMore && page.problem === undefined;
  const next = {
    ...(seeksOn ? list : omit(list, "seeksEnd")),
    scope,
    sort,
    filter,
    history: { ...history, rows: all },
  };
  return {
    ...next,
    isLoading: seeksOn && all.length > before.length, // after a read that failed, another would follow at once
    selected: stillListed(list.selected, [...all, ...(page.pinned ?? [])]),
  };
}

function withCounts(
  before: ReadonlyMap<string, Changes>,
  tasks: readonly StoredChanges[],
): ReadonlyMap<string, Changes> {
  const known = new Map(before);
  for (const { changes, ...task } of tasks) {
    if (changes === undefined) {
      known.delete(storedKey(task));
    } else {
      known.set(storedKey(task), changes);
    }
  }
  return known;
}

/** Mark the task in front; what was selected alone, as by a click on its row, is no longer. */
function withFront(list: ListState, taskId: string | undefined): ListState {
  if (taskId === undefined) {
    return omit(list, "front");
  }
  const front = storedRef(taskId) ?? { id: taskId };
  const isOther = list.selected.size === 1 && ![...list.selected][0]?.endsWith(` ${front.id}`);
  return { ...list, front, ...(isOther ? { selected: new Set<string>() } : {}) };
}

/** Whether the conversation of a run or of a stored task is in front. */
export function isInFront(
  { front }: ListState,
  { id, root, own }: TaskRef & Pick<StoredRow, "own">,
): boolean {
  return front?.id === id && (front.root === root || (front.root === undefined && own === true));
}

function stillListed(selected: ReadonlySet<string>, rows: readonly StoredRow[]) {
  if (selected.size === 0) {
    return selected;
  }
  const keys = new Set(rows.map(storedKey));
  return new Set([...selected].filter((key) => keys.has(key) || !key.startsWith("stored ")));
}

/** Return the key of a stored task's row: two roots may hold the same id. */
export function storedKey({ root, id }: Pick<StoredRow, "root" | "id">): string {
  return `stored ${root} ${id}`;
}

/** Return the key of a run's row. */
export function runKey({ id }: { readonly id: string }): string {
  return `run ${id}`;
}

/** Return what is kept of the list while the page is hidden. */
export function keptOfList({ collapsed, current }: ListState) {
  return { collapsed: [...collapsed], ...(current === undefined ? {} : { current }) };
}

/** Restore what `keptOfList` returned; use defaults for what cannot be read. */
export function restoredList(value: unknown): ListState {
  const { collapsed, current } = (typeof value === "object" && value !== null ? value : {}) as {
    collapsed?: unknown;
    current?: unknown;
  };
  const keys = Array.isArray(collapsed) ? collapsed.filter((key) => typeof key === "string") : [];
  const list = { ...EMPTY_LIST, collapsed: new Set(keys) };
  return typeof current === "string" ? { ...list, current } : omit(list, "current");
}

function toggled(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(key)) {
    next.add(key);
  }
  return next;
}

function isSame(one: Viewport, other: Viewport): boolean {
  return one.top === other.top && one.height === other.height;
}
