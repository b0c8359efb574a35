import type { TaskRef } from "../../../src/taskRef.js";
import type { Entry } from "../../model/list/entries.js";
import { isLive } from "../../../src/text/outcome.js";
import type { View } from "../common/view.js";
import { rangeTo } from "./selecting.js";

/** How many lines Page Up and Page Down move. */
const PAGE = 10;

const STEPS: Partial<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => Math.max(at - 1, 0),
  PageDown: (at, last) => Math.min(at + PAGE, last),
  PageUp: (at) => Math.max(at - PAGE, 0),
  Home: () => 0,
  End: (_, last) => last,
};

/** Handle a key in the list: arrows move, Left and Right close and open groups, F2 renames, Delete acts. */
export function onListKey(
  event: KeyboardEvent,
  entries: readonly Entry[],
  at: number,
  view: View,
): void {
  const entry = entries[at];
  const next = entries[STEPS[event.key]?.(at, entries.length - 1) ?? -1];
  if (next !== undefined) {
    event.preventDefault();
    const from = entry?.key ?? next.key;
    if (event.shiftKey) {
      view.send({ type: "select", keys: rangeTo(view, next.key, from) });
    }
    view.send({ type: "moveTo", key: next.key });
    if (event.key === "End") {
      view.send({ type: "seekEnd", ...(event.shiftKey ? { from } : {}) });
    }
  } else if (entry !== undefined && acts(event.key, entries, at, entry, view)) {
    event.preventDefault();
  }
}

function acts(
  key: string,
  entries: readonly Entry[],
  at: number,
  entry: Entry,
  { send, state }: View,
): boolean {
  if (key === "ArrowRight" || key === "ArrowLeft") {
    return opensGroup(key === "ArrowRight", entries, at, entry, send);
  }
  if (key === "Escape" && state.list.selected.size > 0) {
    send({ type: "select", keys: new Set() });
    return true;
  }
  if (key === "F2" && entry.kind !== "group") {
    send({ type: "act", action: "rename", task: refOf(entry) });
    return true;
  }
  if (key !== "Delete") {
    return false;
  }
  if (entry.kind === "run" && isLive(entry.run)) {
    send({ type: "act", action: "cancel", task: { id: entry.run.id } });
  } else if (entry.kind !== "group") {
    // Of a task of another product, the command says why it stays.
    send({ type: "act", action: "deleteTask", task: refOf(entry) });
  } else {
    return false;
  }
  return true;
}

function refOf(entry: Exclude<Entry, { kind: "group" }>): TaskRef {
  return entry.kind === "run" ? { id: entry.run.id } : { id: entry.row.id, root: entry.row.root };
}

function opensGroup(
  opens: boolean,
  entries: readonly Entry[],
  at: number,
  entry: Entry,
  send: View["send"],
): boolean {
  if (entry.kind === "group") {
    if (entry.isCollapsed === opens) {
      send({ type: "toggleGroup", key: entry.key });
    }
    return true;
  }
  const heading = entries.slice(0, at).findLast(({ kind }) => kind === "group");
  if (!opens && heading !== undefined) {
    send({ type: "moveTo", key: heading.key });
  }
  return !opens;
}
