import { html } from "lit-html";

import { icon } from "./icon.js";
import type { Part } from "./view.js";

/** Render the first line of what can be folded. */
export function foldSummary(words: string): Part {
  return html`<summary>${icon("chevron-right")} ${words}</summary>`;
}
