import type { RunRow, StoredRow } from "../../../src/panel/listMessages.js";
import { isLive } from "../../../src/text/outcome.js";
import { storedKey } from "../../model/list/listState.js";

type Target =
  | { readonly kind: "run"; readonly run: RunRow }
  | {
      readonly kind: "stored";
      readonly row: StoredRow;
      readonly selected: ReadonlySet<string>;
      readonly rows: readonly StoredRow[];
    };

/** Describe a row to the editor's own context menu: conditions of its items, and their argument. */
export function menuContext(target: Target): string {
  return JSON.stringify({ preventDefaultContextMenuItems: true, ...factsOf(target) });
}

function factsOf(target: Target): object {
  if (target.kind === "run") {
    const { run } = target;
    return {
      subagentRow: "run",
      id: run.id,
      title: run.title ?? run.goal,
      subagentPinned: run.pinned === true,
      subagentLive: isLive(run),
      subagentQueued: run.status === "queued",
      subagentAsks: run.asks !== undefined,
    };
  }
  const { row, selected, rows } = target;
  const { id, root, title } = row;
  const isSelected = selected.has(storedKey(row));
  const all = new Map(rows.map((each) => [storedKey(each), each])); // a pinned one may be there twice
  const chosen = isSelected ? [...selected].flatMap((key) => all.get(key) ?? []) : [row];
  return {
    ...{ subagentRow: "stored", id, root, title, subagentOwn: row.own === true },
    subagentPinned: row.pinned === true,
    ...(chosen.length > 1 ? { selection: chosen.map(reference) } : {}),
  };
}

function reference({ id, root, title }: StoredRow) {
  return { id, root, title };
}
