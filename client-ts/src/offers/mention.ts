/** Return how a goal names a file: `@src/days.py`, with lines `@src/days.py#L3-L9`. */
export function mentionOf(file: string, lines?: readonly [first: number, last: number]): string {
  const name = /\s/u.test(file) ? `@"${file}"` : `@${file}`;
  if (lines === undefined) {
    return name;
  }
  const [first, last] = lines;
  return `${name}#L${first}${last === first ? "" : `-L${last}`}`;
}
