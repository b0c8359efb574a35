/**
 * Return the line from 0 where lines that a comment is about begin in a text that changed, nearest to where they
 * were; undefined if they are no longer there.
 */
export function anchor(
  text: readonly string[],
  lines: readonly string[],
  first: number,
): number | undefined {
  const isAt = (at: number): boolean => lines.every((line, index) => text[at + index] === line);
  const starts = text.map((_, at) => at).filter(isAt);
  return starts.toSorted((one, other) => Math.abs(one - first) - Math.abs(other - first))[0];
}

/** Return the lines of a text, whichever ends they have. */
export function linesIn(text: string): string[] {
  return text.split(/\r?\n/u);
}
