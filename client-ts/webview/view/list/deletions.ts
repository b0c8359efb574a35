import { html } from "lit-html";

import type { Action } from "../../../src/panel/messages.js";
import { LIST } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import { linkButton } from "../common/linkButton.js";
import type { Part, View } from "../common/view.js";

/** Render a line about the sessions that their own product will delete soon. */
export function deletions({ state, send }: View): Part {
  if (state.deletions === undefined) {
    return undefined;
  }
  const { tasks, days } = state.deletions;
  const act = (action: Action) => (): void => {
    send({ type: "act", action });
  };
  return html`<div class="deletions" role="status" title=${LIST.dueHint}>
    ${icon("history")}
    <span class="deletions-text">
      <span>${LIST.due(tasks, days)}</span> ${linkButton(LIST.keepCopies, act("keepCopies"))}
    </span>
    <button
      type="button"
      class="icon-button"
      title=${LIST.hideToday}
      aria-label=${LIST.hideToday}
      @click=${act("hideDeletions")}
    >
      ${icon("close")}
    </button>
  </div>`;
}
