import type { RunRow, StoredRow } from "../../../src/panel/listMessages.js";
import { isLive } from "../../../src/text/outcome.js";
import { storedKey } from "../../model/list/listState.js";

type Target =
  | { readonly kind: "run"; readonly run: RunRow }
  | {
      readonly kind: "stored";
      readonly row: StoredRow;
      readonly selected: ReadonlySet<string>;
      /** The rows that a selected key may mean, in parts: joined, they would be copied for each row. */
      readonly rows: readonly (readonly StoredRow[])[];
    };

const keyed = new WeakMap<readonly StoredRow[], ReadonlyMap<string, StoredRow>>();

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
  const others = selected.size > 1 && selected.has(storedKey(row));
  const chosen = others ? [...selected].flatMap((key) => rowOf(key, rows) ?? []) : [row];
  return {
    ...{ subagentRow: "stored", id, root, title, subagentOwn: row.own === true },
    subagentPinned: row.pinned === true,
    ...(chosen.length > 1 ? { selection: chosen.map(reference) } : {}),
  };
}

/** Find a row by its key; a pinned one may be there twice. */
function rowOf(key: string, parts: readonly (readonly StoredRow[])[]): StoredRow | undefined {
  for (const rows of parts) {
    const found = byKey(rows).get(key);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

function byKey(rows: readonly StoredRow[]): ReadonlyMap<string, StoredRow> {
  const known = keyed.get(rows) ?? new Map(rows.map((row) => [storedKey(row), row]));
  keyed.set(rows, known);
  return known;
}

function reference({ id, root, title }: StoredRow) {
  return { id, root, title };
}
