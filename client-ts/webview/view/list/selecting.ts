import { entriesOf } from "../../model/list/entries.js";
import type { View } from "../common/view.js";

/** Return what a click selects: the row, with Ctrl also others, with Shift all from the last one. */
export function selectionAfterClick(
  { ctrlKey, metaKey, shiftKey }: Pick<MouseEvent, "ctrlKey" | "metaKey" | "shiftKey">,
  view: View,
  key: string,
): ReadonlySet<string> {
  const { selected, anchor } = view.state.list;
  if (shiftKey) {
    return rangeTo(view, key, anchor ?? key);
  }
  if (!ctrlKey && !metaKey) {
    return new Set([key]);
  }
  const next = new Set(selected);
  if (!next.delete(key)) {
    next.add(key);
  }
  return next;
}

/** Return the keys of the stored tasks from one row to another; what is selected stays so. */
export function rangeTo(
  { state, now }: Pick<View, "state" | "now">,
  key: string,
  start: string,
): ReadonlySet<string> {
  const entries = entriesOf({ runs: state.runs ?? [], list: state.list, now });
  const at = (wanted: string) => entries.findIndex((entry) => entry.key === wanted);
  const ends = [at(start), at(key)].filter((end) => end >= 0);
  const between = entries
    .slice(Math.min(...ends), Math.max(...ends) + 1)
    .filter(({ kind }) => kind === "stored");
  return new Set([...state.list.selected, ...between.map((entry) => entry.key)]);
}
