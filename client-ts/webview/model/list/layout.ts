import type { Entry } from "./entries.js";
import type { Viewport } from "./listState.js";

/** The heights of lines in CSS pixels, as in list.css. */
export const HEIGHTS: Readonly<Record<Entry["kind"], number>> = { group: 26, run: 46, stored: 46 };
/** How far beyond the view lines are drawn, in CSS pixels. */
const AHEAD = 400;
/** Distance from the end at which more is fetched, in CSS pixels. */
const FETCH_AHEAD = 2_000;

/** Where each line of the list begins; one more than there are lines, the last is the height. */
export type Offsets = Float64Array;

const known = new WeakMap<readonly Entry[], Offsets>();

/** Return where each line begins, in CSS pixels. */
export function offsetsOf(entries: readonly Entry[]): Offsets {
  const before = known.get(entries);
  if (before !== undefined) {
    return before;
  }
  const offsets = new Float64Array(entries.length + 1);
  entries.forEach(({ kind }, at) => {
    offsets[at + 1] = (offsets[at] ?? 0) + HEIGHTS[kind];
  });
  known.set(entries, offsets);
  return offsets;
}

/** Return the numbers of the lines in and near the view. */
export function linesIn(offsets: Offsets, { top, height }: Viewport): [first: number, end: number] {
  const first = lineAt(offsets, top - AHEAD);
  const end = lineAt(offsets, top + height + AHEAD) + 1;
  return [first, Math.min(end, offsets.length - 1)];
}

/** Whether the view comes close to the end of what is loaded. */
export function nearsEnd(total: number, { top, height }: Viewport): boolean {
  return top + height + FETCH_AHEAD > total;
}

/** Find the line at a height by halving. */
function lineAt(offsets: Offsets, y: number): number {
  let [low, high] = [0, offsets.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? Infinity) <= y) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}
