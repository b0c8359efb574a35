/** Cut a text in its middle, since both its beginning and its end may matter; a cut is said. */
export function cutMiddle(text: string, limit: number): string {
  const [head, tail] = [Math.floor(limit / 3), Math.ceil((limit * 2) / 3)];
  const left = text.length - limit;
  return left <= 0
    ? text
    : `${text.slice(0, head)}\n… (${left} ${left === 1 ? "character" : "characters"} left out) …\n${text.slice(-tail)}`;
}
