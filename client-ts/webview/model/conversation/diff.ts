import { structuredPatch, type StructuredPatchHunk } from "diff";

import { cutEnd } from "../../../src/text/cutting.js";
import { TOOL } from "../../text/strings.js";

/** Unchanged lines around a change. */
const CONTEXT = 3;
/** A diff shows at most this many rows; the editor's diff shows all. */
export const MAX_ROWS = 200;
const MAX_ROW_CHARS = 400;
/** Beyond these limits a diff shows one whole part replaced by another. `timeout` in ms. */
const LIMITS = { maxEditLength: 400, timeout: 100 };

/** A row of a diff: a line, or a gap that names the next line. */
export interface DiffRow {
  readonly kind: "same" | "old" | "new" | "gap";
  readonly text: string;
}

/** The sign before the text of a row. */
export const SIGNS: Readonly<Record<DiffRow["kind"], string>> = {
  same: " ",
  old: "-",
  new: "+",
  gap: "⋯",
};

/** The lines in which two texts differ. */
export interface FileDiff {
  readonly rows: readonly DiffRow[];
  readonly added: number;
  readonly removed: number;
  /** The number of rows that are not shown. */
  readonly left: number;
}

/** Compare two texts by lines, in bounded time and with a bounded number of rows. */
export function diffOf(oldText: string, newText: string): FileDiff {
  const [before, after] = [linesOf(oldText), linesOf(newText)];
  const rows = hunksOf(before, after).flatMap(rowsOf);
  return {
    rows: rows.slice(0, MAX_ROWS).map(cut),
    added: rows.filter(({ kind }) => kind === "new").length,
    removed: rows.filter(({ kind }) => kind === "old").length,
    left: Math.max(0, rows.length - MAX_ROWS),
  };
}

type Hunk = Pick<StructuredPatchHunk, "oldStart" | "newStart" | "lines">;

function hunksOf(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  const options = { context: CONTEXT, ...LIMITS };
  const patch = structuredPatch("", "", textOf(before), textOf(after), "", "", options);
  return patch?.hunks ?? [replacement(before, after)];
}

/** Replace everything between the common first lines and the common last lines. */
function replacement(before: readonly string[], after: readonly string[]): Hunk {
  const most = Math.min(before.length, after.length);
  const start = countWhile(most, (at) => before[at] === after[at]);
  const end = countWhile(most - start, (at) => before.at(-1 - at) === after.at(-1 - at));
  const first = Math.max(0, start - CONTEXT);
  const last = after.length - end;
  return {
    oldStart: first + 1,
    newStart: first + 1,
    lines: [
      ...after.slice(first, start).map((line) => ` ${line}`),
      ...before.slice(start, before.length - end).map((line) => `-${line}`),
      ...after.slice(start, last).map((line) => `+${line}`),
      ...after.slice(last, last + CONTEXT).map((line) => ` ${line}`),
    ],
  };
}

function countWhile(most: number, holds: (at: number) => boolean): number {
  let count = 0;
  while (count < most && holds(count)) {
    count += 1;
  }
  return count;
}

const KINDS: Readonly<Record<string, DiffRow["kind"]>> = { " ": "same", "-": "old", "+": "new" };

function rowsOf({ oldStart, newStart, lines }: Hunk): DiffRow[] {
  const rows = lines.flatMap((line) => {
    const kind = KINDS[line.charAt(0)];
    return kind === undefined ? [] : [{ kind, text: line.slice(1) }];
  });
  const isFirst = Math.max(oldStart, newStart) <= 1;
  return isFirst ? rows : [{ kind: "gap", text: TOOL.line(newStart) }, ...rows];
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/u);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

function cut(row: DiffRow): DiffRow {
  return { ...row, text: cutEnd(row.text, MAX_ROW_CHARS) };
}
