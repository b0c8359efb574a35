/** Between texts that are next to each other on the screen: no match spans it. */
export const SEPARATOR = "\u0000";

/** Where a match begins and ends in a text, in characters. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Return where a text contains what a reader searches, whatever the case; spaces match line breaks. */
export function occurrencesOf(text: string, query: string, most = Infinity): Span[] {
  const spans: Span[] = [];
  const pattern = patternOf(query);
  for (
    let found = pattern?.exec(text) ?? null;
    pattern !== undefined && found !== null && spans.length < most;
    found = pattern.exec(text)
  ) {
    spans.push({ start: found.index, end: found.index + found[0].length });
  }
  return spans;
}

/** Return undefined for a query without a character. */
function patternOf(query: string): RegExp | undefined {
  const escaped = query.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&").replace(/\s+/gu, "\\s+");
  return escaped === "" ? undefined : new RegExp(escaped, "giu");
}
