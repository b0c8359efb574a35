import { html } from "lit-html";

import { hasOnlyExample } from "../../model/state.js";
import { ACTIONS, HOME } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import type { Part, View } from "../common/view.js";

/** Offer each installed agent by its name. */
export function agentsOffered(view: View): Part {
  const { installed } = view.state;
  return installed.length === 0
    ? undefined
    : html`<p>${HOME.installedHint(installed.length)}</p>
        <div class="actions agents-offered">${agentButtons(view)}</div>`;
}

/** Offer, above a composer that has only the example, what can work on the user's own goals. */
export function forOwnGoals(view: View): Part {
  const { state } = view;
  if (state.service.kind === "untrusted" || !hasOnlyExample(state)) {
    return undefined;
  }
  const isOffered = state.installed.length > 0;
  return html`<div class="nudge" role="group" aria-labelledby="own-goals">
    <p id="own-goals">${isOffered ? HOME.ownGoals : HOME.noAgents}</p>
    <div class="actions agents-offered">${isOffered ? agentButtons(view) : createButton(view)}</div>
  </div>`;
}

function agentButtons({ state, send }: View): Part[] {
  return state.installed.map(
    ({ runner, title, lacks }) =>
      html`<button
        type="button"
        class="primary"
        ?disabled=${state.service.kind !== "running"}
        @click=${() => {
          send({ type: "useAgent", runner });
        }}
      >
        ${HOME.use(title, lacks !== undefined)}
      </button>`,
  );
}

/** Render the button that writes a definition. */
export function createButton({ send }: View): Part {
  return html`<button
    type="button"
    class="secondary"
    title=${HOME.definitionHint}
    @click=${() => {
      send({ type: "act", action: "createDefinition" });
    }}
  >
    ${icon("add")} ${ACTIONS.createDefinition}
  </button>`;
}
