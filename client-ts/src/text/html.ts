import { oneLine } from "./words.js";

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" },
};

/** Return text as HTML shows it unchanged, also in an attribute. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? character);
}

/** Write text of others as HTML: on one line, cut to `most` characters, with a direction of its own. */
export function foreign(text: string, most: number): string {
  return `<bdi>${escaped(oneLine(text, most))}</bdi>`;
}

/** Write text of this extension as HTML; parts between backticks are code. */
export function prose(text: string): string {
  return escaped(text).replace(/`([^`]*)`/gu, "<code>$1</code>");
}

/** Write a link that runs a command of the editor on one argument. */
export function commandLink(command: string, argument: unknown, html: string): string {
  const query = encodeURIComponent(JSON.stringify([argument]));
  return `<a href="command:${command}?${escaped(query)}">${html}</a>`;
}

/** Write a list of items that are HTML. */
export function list(items: readonly string[]): string {
  return `<ul>\n${items.map((item) => `<li>${item}</li>`).join("\n")}\n</ul>`;
}
