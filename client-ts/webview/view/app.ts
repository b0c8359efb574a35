import { html } from "lit-html";

import { banner } from "./banner.js";
import { conversation } from "./conversation/conversation.js";
import { home } from "./home/home.js";
import type { Part, View } from "./common/view.js";

/** Render the page. */
export function app(view: View, onScroll: (event: Event) => void): Part {
  const { open } = view.state;
  return html`<main class="app">
    ${banner(view)} ${open === undefined ? home(view) : conversation(view, open, onScroll)}
  </main>`;
}
