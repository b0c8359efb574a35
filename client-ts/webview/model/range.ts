/** The weight of what is shown at the end at first; see `weightOf`. */
export const END = 6_000;
/** The most weight by which what is shown is extended in one frame: two blocks of dense Markdown, and not a third. */
export const PAGE = 8_000;
/** Beyond this weight, items out of view are removed. */
export const MAX_SHOWN = 48_000;
/** The most weight that is shown at once, in view or not, unless a single item weighs more. */
export const MAX_KEPT = 4 * MAX_SHOWN;

/** Items by their numbers, `end` excluded. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The items that are loaded. */
export interface Extent extends Range {
  /** Return the weight of an item, by its number. */
  weigh(at: number): number;
}

/** Return the last items up to a weight. */
export function latest(extent: Extent, weight = END): Range {
  return { start: backFrom(extent.end, weight, extent), end: extent.end };
}

/** Add earlier items of a weight. If that is too much, remove the latest, except those in view. */
export function earlier(shown: Range, extent: Extent, inView?: Range, weight = PAGE): Range {
  const start = backFrom(shown.start, weight, extent);
  const kept = Math.min(inView?.end ?? start, onFrom(start, MAX_KEPT, extent));
  return { start, end: Math.min(shown.end, Math.max(kept, onFrom(start, MAX_SHOWN, extent))) };
}

/** Add later items of a weight. If that is too much, remove the earliest, except those in view. */
export function later(shown: Range, extent: Extent, inView?: Range, weight = PAGE): Range {
  const end = onFrom(shown.end, weight, extent);
  const kept = Math.max(inView?.start ?? end, backFrom(end, MAX_KEPT, extent));
  return { start: Math.max(shown.start, Math.min(kept, backFrom(end, MAX_SHOWN, extent))), end };
}

/** Limit a range to the items that are loaded now. */
export function within(shown: Range, extent: Extent): Range {
  const start = Math.max(Math.min(shown.start, extent.end), extent.start);
  const end = Math.max(start, Math.min(shown.end, extent.end));
  return end > start ? { start, end } : around(start, extent);
}

function around(at: number, extent: Extent): Range {
  const end = onFrom(at, PAGE, extent);
  return end > at ? { start: at, end } : latest(extent);
}

/** Return the start of the range of this weight that ends before `end`. */
function backFrom(end: number, weight: number, extent: Extent): number {
  let at = end;
  let sum = 0;
  while (at > extent.start) {
    sum += extent.weigh(at - 1);
    if (sum > weight && at < end) {
      break;
    }
    at -= 1;
  }
  return at;
}

function onFrom(start: number, weight: number, extent: Extent): number {
  let at = start;
  let sum = 0;
  while (at < extent.end) {
    sum += extent.weigh(at);
    if (sum > weight && at > start) {
      break;
    }
    at += 1;
  }
  return at;
}
