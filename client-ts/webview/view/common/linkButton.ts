import { html } from "lit-html";

import type { Part } from "./view.js";

/** Render a button that looks like a link. */
export function linkButton(label: string, onClick: () => void): Part {
  return html`<button type="button" class="link" @click=${onClick}>${label}</button>`;
}
