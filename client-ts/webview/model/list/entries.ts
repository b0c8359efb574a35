import type { RunRow, StoredRow } from "../../../src/panel/listMessages.js";
import { isLive } from "../../../src/text/outcome.js";
import { type DateGroup, dateGroups, midnight } from "./dates.js";
import { families, type Family } from "./family.js";
import { Joined } from "./joining.js";
import { type ListState, runKey, storedKey } from "./listState.js";

/** How many ended runs are listed before the history, which has the rest. */
const MOST_RECENT = 8;

export type GroupId =
  "needsYou" | "running" | "queued" | "pinned" | "recent" | "sorted" | DateGroup;

/** One line of the list: a group's heading, a run, or a stored task. */
export type Entry =
  | {
      readonly kind: "group";
      readonly key: string;
      readonly group: GroupId;
      readonly count: number;
      /** Whether more of the group may follow that was not read. */
      readonly isPartial: boolean;
      readonly isCollapsed: boolean;
    }
  | {
      readonly kind: "run";
      readonly key: string;
      readonly run: RunRow;
      /** How many of the runs that launched it are above it. */
      readonly depth: number;
    }
  | { readonly kind: "stored"; readonly key: string; readonly row: StoredRow };

/** What the list is made of. */
export interface Listed {
  readonly runs: readonly RunRow[];
  readonly list: ListState;
  /** ms since the epoch. */
  readonly now: number;
}

/** Return the lines of the list, in order: what needs the reader first. */
export function entriesOf({ runs, list, now }: Listed): readonly Entry[] {
  const groups = topGroups(runs, list);
  const listed = new Set([...groups.values()].flat().map(idOf));
  const top = [...groups].flatMap(([group, members]) => grouped(group, members, list, false));
  const counted = countedRuns(runs, list, listed);
  return lines.of(top, historyEntries(list, listed, counted, midnight(now)));
}

const lines = new Joined<Entry>();

/** Return what the history must not repeat: a run by its id, since it is also stored. */
function idOf(entry: Entry): string {
  return entry.kind === "run" ? entry.run.id : entry.key;
}

/** Return what is above the history by group; a question of any workspace needs the reader. */
function topGroups(runs: readonly RunRow[], list: ListState): Map<GroupId, readonly Entry[]> {
  const { scope, filter } = list;
  const inScope = (run: RunRow) => scope === "all" || run.folder === undefined;
  const shown = runs.filter((run) => isLive(run) || filter === "");
  const asking = shown.filter(isAsking);
  const others = shown.filter((run) => !isAsking(run) && !isPinnedEnd(run) && inScope(run));
  const found = families(others);
  const running = found.filter(([[{ status }]]) => status === "running");
  const queued = found.filter(([[{ status }]]) => status === "queued");
  const ended = found.filter(([[run]]) => !isLive(run)).toSorted(byEnd);
  return new Map<GroupId, readonly Entry[]>([
    ["needsYou", asking.map(runEntry)],
    ["running", running.flatMap(familyEntries)],
    ["queued", queued.toSorted(byPosition).flatMap(familyEntries)],
    ["pinned", filter === "" ? pinnedEntries(runs, list) : []],
    ["recent", ended.flatMap(familyEntries).slice(0, MOST_RECENT)],
  ]);
}

/** Return what is pinned, of all workspaces, apart from what runs. */
function pinnedEntries(runs: readonly RunRow[], { history }: ListState): readonly Entry[] {
  const known = new Set(runs.map(({ id }) => id));
  const ended = runs.filter(isPinnedEnd);
  const stored = history?.pinned?.filter(({ own, id }) => own !== true || !known.has(id)) ?? [];
  return [...ended.map(runEntry), ...stored.map(storedEntry)];
}

function byPosition([[one]]: Family, [[other]]: Family): number {
  return (one.queuePosition ?? 0) - (other.queuePosition ?? 0);
}

/** The last to end comes first. */
function byEnd(one: Family, other: Family): number {
  return endOf(other) - endOf(one);
}

function endOf(family: Family): number {
  return Math.max(...family.map(([{ completedAt, launchedAt }]) => completedAt ?? launchedAt ?? 0));
}

function isPinnedEnd(run: RunRow): boolean {
  return run.pinned === true && !isLive(run);
}

function isAsking({ asks, status }: RunRow): boolean {
  return asks !== undefined && status === "running";
}

/** The last result: dividing 20,000 tasks into groups would be too slow for every frame. */
let last = { rows: [] as readonly StoredRow[], variant: "", entries: [] as readonly Entry[] };

function historyEntries(
  list: ListState,
  listed: ReadonlySet<string>,
  counted: readonly string[],
  today: number,
): readonly Entry[] {
  const { history, sort, collapsed } = list;
  if (history === undefined) {
    return [];
  }
  const { rows, hasMore } = history;
  const counts = [history.matched, hasMore, counted];
  const variant = JSON.stringify([sort, today, counts, [...collapsed], [...listed]]);
  if (last.rows !== rows || last.variant !== variant) {
    last = { rows, variant, entries: divided(list, listed, counted, today) };
  }
  return last.entries;
}

function divided(
  list: ListState,
  listed: ReadonlySet<string>,
  counted: readonly string[],
  today: number,
): Entry[] {
  const { history, sort } = list;
  const groups = new Map<GroupId, Entry[]>();
  const groupOf = dateGroups(today);
  for (const row of history?.rows ?? []) {
    const entry = storedEntry(row);
    // What is listed above is not listed again.
    if (!listed.has(entry.key) && (row.own !== true || !listed.has(row.id))) {
      const group = sort === "recent" ? groupOf(row.at) : "sorted";
      const members = groups.get(group);
      if (members === undefined) {
        groups.set(group, [entry]);
      } else {
        members.push(entry);
      }
    }
  }
  const end = [...groups.keys()].at(-1);
  const hasMore = history?.hasMore === true;
  return [...groups].flatMap(([group, members]) => {
    const isCut = hasMore && group === end;
    const rest = isCut && isLast(group) ? unread(list, listed, counted) : undefined;
    return grouped(group, members, list, isCut && rest === undefined, rest);
  });
}

/** Whether all tasks that were not read belong to a group. */
function isLast(group: GroupId): boolean {
  return group === "older" || group === "sorted";
}

/** Return the runs that are listed above and that the number of stored tasks counts, too. */
function countedRuns(
  runs: readonly RunRow[],
  { history, sort, scope, filter }: ListState,
  listed: ReadonlySet<string>,
): readonly string[] {
  if (history?.hasMore !== true || filter !== "") {
    return []; // with a filter, it is unknown which of them it matches
  }
  const oldest = history.rows.at(-1)?.at ?? 0;
  // What is newer than all that was read, and not among it, began after that.
  const isKnown = ({ launchedAt, completedAt = launchedAt }: RunRow) =>
    launchedAt !== undefined && (sort !== "recent" || (completedAt ?? 0) < oldest);
  const isInScope = ({ folder }: RunRow) => scope === "all" || folder === undefined;
  return runs
    .filter((run) => listed.has(run.id) && isInScope(run) && isKnown(run))
    .map(({ id }) => id);
}

/** Count the tasks that were not read, apart from those that are listed above. */
function unread(
  { history, scope }: ListState,
  listed: ReadonlySet<string>,
  counted: readonly string[],
): number {
  const { rows = [], matched = 0, pinned = [] } = history ?? {};
  const isAbove = (row: StoredRow) =>
    (listed.has(storedKey(row)) || (row.own === true && listed.has(row.id))) &&
    (scope === "all" || row.folder === undefined);
  const above = new Set(pinned.filter(isAbove).map(storedKey));
  const runs = new Set(counted);
  for (const row of rows) {
    if (above.size > 0) {
      above.delete(storedKey(row));
    }
  }
  for (const { own, id } of [...rows, ...pinned]) {
    if (own === true) {
      runs.delete(id);
    }
  }
  return Math.max(0, matched - rows.length - above.size - runs.size);
}

function grouped(
  group: GroupId,
  members: readonly Entry[],
  { collapsed }: ListState,
  isPartial: boolean,
  unread = 0,
): Entry[] {
  const key = `group ${group}`;
  const isCollapsed = collapsed.has(key);
  const heading: Entry = {
    kind: "group",
    ...{ key, group, isPartial, isCollapsed },
    count: (group === "running" ? members.filter(works) : members).length + unread,
  };
  return members.length === 0 ? [] : [heading, ...(isCollapsed ? [] : members)];
}

/** Whether a run is at work; a family of runs also has others. */
function works(entry: Entry): boolean {
  return entry.kind === "run" && entry.run.status === "running";
}

/** Most rows of a long list stay as they are when it changes. */
const storedEntries = new WeakMap<StoredRow, Entry>();

function storedEntry(row: StoredRow): Entry {
  const known = storedEntries.get(row);
  if (known !== undefined) {
    return known;
  }
  const entry: Entry = { kind: "stored", key: storedKey(row), row };
  storedEntries.set(row, entry);
  return entry;
}

function runEntry(run: RunRow): Entry {
  return { kind: "run", key: runKey(run), run, depth: 0 };
}

function familyEntries(family: Family): readonly Entry[] {
  return family.map(([run, depth]) => ({ kind: "run", key: runKey(run), run, depth }));
}
