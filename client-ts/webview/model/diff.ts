/** Unchanged lines around a change. */
const CONTEXT = 3;
/** A diff shows no more rows than this; the editor's own shows all. */
export const MAX_ROWS = 200;
const MAX_ROW_CHARS = 400;
/** Texts that differ in more lines than this are shown as one replaced by the other. */
const MAX_EDITS = 400;

/** A row of a diff: a line, or a gap that says where the next one is. */
export interface DiffRow {
  readonly kind: "same" | "old" | "new" | "gap";
  readonly text: string;
}

/** The lines in which two texts differ. */
export interface FileDiff {
  readonly rows: readonly DiffRow[];
  readonly added: number;
  readonly removed: number;
  /** Rows that are not shown. */
  readonly left: number;
}

/** Compare two texts by lines; the time it takes is bounded, at the price of a coarser answer. */
export function diffOf(oldText: string, newText: string): FileDiff {
  const [before, after] = [linesOf(oldText), linesOf(newText)];
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const middle = edits(
    before.slice(start, before.length - end),
    after.slice(start, after.length - end),
  );
  const all = [
    ...before.slice(0, start).map(same),
    ...middle,
    ...before.slice(before.length - end).map(same),
  ];
  const rows = withGaps(all);
  return {
    rows: rows.slice(0, MAX_ROWS).map(cut),
    added: middle.filter(({ kind }) => kind === "new").length,
    removed: middle.filter(({ kind }) => kind === "old").length,
    left: Math.max(0, rows.length - MAX_ROWS),
  };
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/u);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) {
    count += 1;
  }
  return count;
}

function commonEnd(a: readonly string[], b: readonly string[], start: number): number {
  const most = Math.min(a.length, b.length) - start;
  let count = 0;
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) {
    count += 1;
  }
  return count;
}

const same = (text: string): DiffRow => ({ kind: "same", text });
const added = (text: string): DiffRow => ({ kind: "new", text });
const removed = (text: string): DiffRow => ({ kind: "old", text });

/**
 * Turn `a` into `b` with the fewest lines removed and added, after Myers, "An O(ND) Difference
 * Algorithm and Its Variations" (1986).
 */
function edits(a: readonly string[], b: readonly string[]): DiffRow[] {
  const trace: Reached[] = [];
  const reached = new Int32Array(2 * ORIGIN + 1);
  for (let cost = 0; cost <= Math.min(a.length + b.length, MAX_EDITS); cost += 1) {
    trace.push(reached.slice());
    for (let line = -cost; line <= cost; line += 2) {
      let x = isDown(reached, line, cost) ? at(reached, line + 1) : at(reached, line - 1) + 1;
      while (x < a.length && x - line < b.length && a[x] === b[x - line]) {
        x += 1;
      }
      reached[ORIGIN + line] = x;
      if (x >= a.length && x - line >= b.length) {
        return walkBack(a, b, trace);
      }
    }
  }
  return [...a.map(removed), ...b.map(added)];
}

/** How far along `a` each diagonal has been reached, by `x - y`; the one of 0 is in the middle. */
type Reached = Int32Array;
const ORIGIN = MAX_EDITS + 1;

/** Whether the best way onto a diagonal adds a line; else it removes one. */
function isDown(reached: Reached, line: number, cost: number): boolean {
  return line === -cost || (line !== cost && at(reached, line - 1) < at(reached, line + 1));
}

function at(reached: Reached, line: number): number {
  return reached[ORIGIN + line] ?? 0;
}

function walkBack(
  a: readonly string[],
  b: readonly string[],
  trace: readonly Reached[],
): DiffRow[] {
  const rows: DiffRow[] = [];
  let [x, y] = [a.length, b.length];
  for (let cost = trace.length - 1; cost >= 0; cost -= 1) {
    const reached = trace[cost] ?? new Int32Array();
    const line = x - y;
    const down = isDown(reached, line, cost);
    const from = down ? line + 1 : line - 1;
    const fromX = at(reached, from);
    const startX = down ? fromX : fromX + 1;
    while (x > startX && y > startX - line) {
      rows.push(same(a[x - 1] ?? ""));
      [x, y] = [x - 1, y - 1];
    }
    if (cost > 0) {
      rows.push(down ? added(b[y - 1] ?? "") : removed(a[x - 1] ?? ""));
      [x, y] = [fromX, fromX - from];
    }
  }
  return rows.reverse();
}

/** Leave out lines that are far from every change, and say at each gap which line comes next. */
function withGaps(rows: readonly DiffRow[]): DiffRow[] {
  const near = nearChanges(rows);
  const kept: DiffRow[] = [];
  let line = 0;
  let isGap = false;
  rows.forEach((row, index) => {
    line += row.kind === "old" ? 0 : 1;
    if (!near.has(index)) {
      isGap = true;
      return;
    }
    if (isGap) {
      kept.push({ kind: "gap", text: `line ${row.kind === "old" ? line + 1 : line}` });
    }
    isGap = false;
    kept.push(row);
  });
  return kept;
}

function nearChanges(rows: readonly DiffRow[]): Set<number> {
  const near = new Set<number>();
  rows.forEach(({ kind }, index) => {
    if (kind !== "same") {
      for (let other = index - CONTEXT; other <= index + CONTEXT; other += 1) {
        near.add(other);
      }
    }
  });
  return near;
}

function cut(row: DiffRow): DiffRow {
  return row.text.length <= MAX_ROW_CHARS
    ? row
    : { ...row, text: `${row.text.slice(0, MAX_ROW_CHARS)}…` };
}
