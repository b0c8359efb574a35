/** How much is shown at the end at first, which is drawn again with all that comes, as items weigh. */
export const END = 6_000;
/** By how much a step of a reader goes. */
export const PAGE = 16_000;
/** No more than this is in the page at once, but for a single item that weighs more. */
export const MAX_SHOWN = 48_000;

/** The items shown, by their number; `end` is the first one behind them. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What there is to show. */
export interface Extent extends Range {
  /** How much it takes to show the item of this number. */
  weigh(at: number): number;
}

/** The end of what there is, as much of it as weighs so much. */
export function latest(extent: Extent, weight = END): Range {
  return { start: backFrom(extent.end, weight, extent), end: extent.end };
}

/** Show earlier items as well; the latest go when it becomes too much. */
export function earlier(shown: Range, extent: Extent): Range {
  const start = backFrom(shown.start, PAGE, extent);
  return { start, end: Math.min(shown.end, onFrom(start, MAX_SHOWN, extent)) };
}

/** Show later items as well; the earliest go when it becomes too much. */
export function later(shown: Range, extent: Extent): Range {
  const end = onFrom(shown.end, PAGE, extent);
  return { start: Math.max(shown.start, backFrom(end, MAX_SHOWN, extent)), end };
}

/** Keep a range that was chosen earlier within what there is by now. */
export function within(shown: Range, extent: Extent): Range {
  const start = Math.max(Math.min(shown.start, extent.end), extent.start);
  const end = Math.max(start, Math.min(shown.end, extent.end));
  return end > start ? { start, end } : around(start, extent);
}

function around(at: number, extent: Extent): Range {
  const end = onFrom(at, PAGE, extent);
  return end > at ? { start: at, end } : latest(extent);
}

/** How far back it is to the start of a page that ends before an item. */
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
