/** Cut a text in the middle, since its start and end may matter, and mark the cut. */
export function cutMiddle(text: string, limit: number): string {
  const [head, tail] = [Math.floor(limit / 3), Math.ceil((limit * 2) / 3)];
  const left = text.length - limit;
  return left <= 0
    ? text
    : `${text.slice(0, head)}\n… (${left} ${left === 1 ? "character" : "characters"} omitted) …\n${text.slice(-tail)}`;
}
