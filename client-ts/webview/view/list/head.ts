import { html } from "lit-html";

import { LIST } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import type { Part, View } from "../common/view.js";

/** Render the filter above the list, what matches it, and how to see all again. */
export function listHead({ state, send }: View): Part {
  const { filter, history } = state.list;
  if (history?.problem !== undefined) {
    return html`<p class="problem list-problem" role="alert">
      ${icon("error")} <span>${history.problem}</span>
    </p>`;
  }
  if (filter === "" || history === undefined) {
    return undefined;
  }
  return html`<p class="list-head" role="status">
    ${icon("filter")}
    <span class="list-filter"><bdi>${filter}</bdi></span>
    <span>${LIST.matching(history.matched, history.totals)}</span>
    <button
      type="button"
      class="icon-button"
      title=${LIST.clearFilter}
      aria-label=${LIST.clearFilter}
      @click=${() => {
        send({ type: "act", action: "clearFilter" });
      }}
    >
      ${icon("close")}
    </button>
  </p>`;
}
