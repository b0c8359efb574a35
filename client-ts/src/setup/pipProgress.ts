/** Turn a line of pip's output into words for a progress display, if it tells of progress. */
export function describePipLine(line: string): string | undefined {
  const collecting = /^\s*Collecting ([A-Za-z0-9._-]+)/.exec(line);
  if (collecting?.[1] !== undefined) {
    return `Fetching ${collecting[1]}…`;
  }
  return line.startsWith("Installing collected packages") ? "Installing packages…" : undefined;
}
