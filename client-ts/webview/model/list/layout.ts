import type { Entry } from "./entries.js";
import { AHEAD, type Viewport } from "./listState.js";

/** The heights of lines in CSS pixels, as in list.css. */
export const HEIGHTS: Readonly<Record<Entry["kind"], number>> = { group: 26, run: 46, stored: 46 };
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

/** Return the numbers of the lines in the view, and of those up to `ahead` CSS pixels out of it. */
export function linesIn(
  offsets: Offsets,
  { top, height }: Viewport,
  ahead = AHEAD,
): [first: number, end: number] {
  const first = lineAt(offsets, top - ahead);
  const end = lineAt(offsets, top + height + ahead) + 1;
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
