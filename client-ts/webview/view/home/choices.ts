import { html } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import { live } from "lit-html/directives/live.js";

import { type Control, controlsFor } from "../../model/choices.js";
import { launchable } from "../../model/state.js";
import { COMPOSER } from "../../text/strings.js";
import { textOf } from "../common/typing.js";
import type { Part, View } from "../common/view.js";

/** Render what the user can choose of the agent's session: a list for each of model, mode and effort. */
export function choices({ state, send }: View): Part {
  const definition = launchable(state).find(({ name }) => name === state.draft.subagentName);
  const controls = controlsFor(definition, state.offers, state.chosen);
  return controls.length === 0
    ? undefined
    : html`<div class="options" role="group" aria-label=${COMPOSER.choices}>
        ${controls.map((control) => freshList(control, send))}
      </div>`;
}

/** Render a new list when its values change: else a value that moves would lose its selection. */
function freshList(control: Control, send: View["send"]): unknown {
  const { choice, byDefault, values, unasking, isGone } = control;
  return keyed(JSON.stringify([choice, byDefault, values, unasking, isGone]), list(control, send));
}

function list(control: Control, send: View["send"]): Part {
  const { choice, chosen, byDefault, values, unasking, isGone } = control;
  const { label, byAgent } = COMPOSER.choice[choice];
  const isMissing = chosen !== undefined && ![...values, ...unasking].includes(chosen);
  const option = (value: string, words = value): Part =>
    html`<option value=${value} .selected=${live(value === (chosen ?? ""))}>${words}</option>`;
  return html`<select
    class="option ${chosen === undefined ? "" : "chosen"}"
    aria-label=${label}
    title=${`${label}: ${chosen ?? byDefault ?? byAgent}`}
    @change=${(event: Event) => {
      send({ type: "setChoice", choice, value: textOf(event) });
    }}
  >
    ${option("", byDefault === undefined ? byAgent : COMPOSER.byDefinition(byDefault))}
    ${values.map((value) => option(value))}
    ${
      unasking.length === 0
        ? undefined
        : html`<optgroup label=${COMPOSER.unasking}>
            ${unasking.map((value) => option(value))}
          </optgroup>`
    }
    ${isMissing ? option(chosen, isGone ? COMPOSER.notOffered(chosen) : chosen) : undefined}
  </select>`;
}
