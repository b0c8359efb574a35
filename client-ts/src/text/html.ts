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

export interface DocumentParts {
  /** The language of the texts, as in `lang`. */
  readonly language: string;
  /** What a webview calls the origin of its own files; styles come from there only. */
  readonly cspSource: string;
  /** What the document may load besides its style sheet, as directives of a content security policy. */
  readonly allows?: readonly string[];
  readonly styleUri: string;
  /** HTML. */
  readonly title: string;
  /** The `body` element, with its tags. */
  readonly body: string;
}

/** Write a whole document, which may load one style sheet and what `allows` names. */
export function htmlDocument({
  language,
  cspSource,
  allows = [],
  styleUri,
  title,
  body,
}: DocumentParts): string {
  const policy = [
    "default-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    `style-src ${cspSource}`,
    ...allows,
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="${styleUri}">
    <title>${title}</title>
  </head>
  ${body}
</html>
`;
}
