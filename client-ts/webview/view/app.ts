import { html } from "lit-html";

import { banner } from "./banner.js";
import { conversation } from "./conversation/conversation.js";
import { CONVERSATION } from "../text/strings.js";
import { home } from "./home/home.js";
import type { Part, View } from "./common/view.js";

/** Render the page. */
export function app(view: View, onScroll: (event: Event) => void): Part {
  return html`<main class="app">${banner(view)} ${main(view, onScroll)}</main>`;
}

function main(view: View, onScroll: (event: Event) => void): Part {
  const { open, place } = view.state;
  if (open !== undefined) {
    return conversation(view, open, onScroll);
  }
  return place === "editor" ? html`<p class="hint empty">${CONVERSATION.loading}</p>` : home(view);
}
