/** How many items are shown at first, and by how many a step goes. */
export const PAGE = 100;
/** No more items than this are in the page at once. */
export const MAX_SHOWN = 200;

/** The items shown, by their number in the run; `end` is the first one behind them. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What there is to show. */
export type Extent = Range;

/** The end of what there is. */
export function latest({ start, end }: Extent): Range {
  return { start: Math.max(start, end - PAGE), end };
}

/** Show earlier items as well; the latest go when it becomes too many. */
export function earlier(shown: Range, extent: Extent): Range {
  const start = Math.max(extent.start, shown.start - PAGE);
  return { start, end: Math.min(shown.end, start + MAX_SHOWN) };
}

/** Show later items as well; the earliest go when it becomes too many. */
export function later(shown: Range, extent: Extent): Range {
  const end = Math.min(extent.end, shown.end + PAGE);
  return { start: Math.max(shown.start, end - MAX_SHOWN), end };
}

/** Keep a range that was chosen earlier within what there is by now. */
export function within(shown: Range, extent: Extent): Range {
  const end = Math.max(Math.min(shown.end, extent.end), Math.min(extent.start + PAGE, extent.end));
  return { start: Math.min(Math.max(shown.start, extent.start), end), end };
}
