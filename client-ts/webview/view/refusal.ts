import { html } from "lit-html";

import { icon } from "./icon.js";
import type { Part } from "./view.js";

/** Say why something was refused; with `queue`, offer to have it wait for its turn. */
export function refusal(message: string, queue?: () => void): Part {
  return html`<div class="problem" role="alert">
    ${icon("error")}
    <span>${message}</span>
    ${
      queue === undefined
        ? undefined
        : html`<button type="button" class="link" @click=${queue}>Queue It</button>`
    }
  </div>`;
}
