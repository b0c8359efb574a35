/** Split a text around its code: what is between the first and the last backtick, if any. */
export function codeParts(text: string): readonly [before: string, code?: string, after?: string] {
  const [start, end] = [text.indexOf("`"), text.lastIndexOf("`")];
  return start === end
    ? [text]
    : [text.slice(0, start), text.slice(start + 1, end), text.slice(end + 1)];
}
