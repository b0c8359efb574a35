import { html } from "lit-html";

import type { Part } from "./view.js";

/** Render text whose part between the first and the last backtick, if any, is code. */
export function withCode(text: string): Part {
  const [start, end] = [text.indexOf("`"), text.lastIndexOf("`")];
  return start === end
    ? html`${text}`
    : html`${text.slice(0, start)}<code>${text.slice(start + 1, end)}</code>${text.slice(end + 1)}`;
}
