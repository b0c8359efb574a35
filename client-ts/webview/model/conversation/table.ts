/** The line below the head of a table, which says how its columns are aligned. */
const RULE = /^ {0,3}(?=[^|]*\|)\|?(?:[ \t]*:?-+:?[ \t]*\|?)+$/u;

/** Return the head of the table, with the line below it, that continues after the end of a text, if any. */
export function openTable(source: string): string | undefined {
  if (!source.endsWith("\n")) {
    return undefined;
  }
  const lines = source.slice(0, -1).split("\n");
  const first = lines.lastIndexOf("") + 1;
  const rule = lines.findIndex((line, at) => at > first && isRule(line));
  const [head, below] = [lines[rule - 1], lines[rule]];
  return head?.includes("|") === true && below !== undefined ? `${head}\n${below}` : undefined;
}

/** Return whether the first line of a text can be a row of a table. */
export function startsWithRow(text: string): boolean {
  const end = text.indexOf("\n");
  return (end < 0 ? text : text.slice(0, end)).includes("|");
}

function isRule(line: string): boolean {
  return line.includes("-") && RULE.test(line);
}
