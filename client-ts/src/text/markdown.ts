import { oneLine } from "./words.js";

/** Escape text so that Markdown shows it unchanged, on one line. */
export function plain(text: string): string {
  return oneLine(text, Infinity).replace(/[\\`*_{}[\]()#+\-.!|<>~&:]/gu, "\\$&");
}

/** Write a Markdown table; `aligned` has the columns' rules, the last one for all that follow. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  aligned: readonly ("---" | "---:")[] = ["---", "---:"],
): string {
  const rule = head.map((_, column) => aligned[column] ?? aligned.at(-1) ?? "---");
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
