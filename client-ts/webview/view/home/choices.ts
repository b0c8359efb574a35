import { html } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import { live } from "lit-html/directives/live.js";

import type { Choice } from "../../../src/offers/offers.js";
import { placeOf } from "../../../src/offers/placement.js";
import { type Control, controlsFor } from "../../model/composer/choices.js";
import { launchable } from "../../model/state.js";
import { COMPOSER } from "../../text/strings.js";
import { textOf } from "../common/typing.js";
import type { Part, View } from "../common/view.js";

/** Render what the user can choose of the agent's session: a list for each of model, mode and effort. */
export function choices({ state, send }: View): Part {
  const definition = launchable(state).find(({ name }) => name === state.draft.subagentName);
  const controls = controlsFor(definition, state);
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
  const { choice, chosen, byDefault, values, unasking } = control;
  const { label, byAgent } = COMPOSER.choice[choice];
  const inForce = chosen ?? byDefault;
  const isMissing = chosen !== undefined && ![...values, ...unasking].includes(chosen);
  const option = (value: string, words = wordsOf(choice, value)): Part =>
    html`<option value=${value} .selected=${live(value === (chosen ?? ""))}>${words}</option>`;
  return html`<select
    class="option ${chosen === undefined ? "" : "chosen"}"
    aria-label=${label}
    title=${`${label}: ${inForce === undefined ? byAgent : wordsOf(choice, inForce)}`}
    @change=${(event: Event) => {
      send({ type: "setChoice", choice, value: textOf(event) });
    }}
  >
    ${option("", byDefault === undefined ? byAgent : COMPOSER.byDefinition(wordsOf(choice, byDefault)))}
    ${values.map((value) => option(value))}
    ${
      unasking.length === 0
        ? undefined
        : html`<optgroup label=${COMPOSER.unasking}>
            ${unasking.map((value) => option(value))}
          </optgroup>`
    }
    ${isMissing ? option(chosen, missingWords(control, chosen)) : undefined}
  </select>`;
}

function missingWords({ choice, isGone }: Control, value: string): string {
  const words = wordsOf(choice, value);
  return isGone ? COMPOSER.notOffered(words) : words;
}

/** Return what the user reads of a value: the agent names its own, and a place is described. */
function wordsOf(choice: Choice, value: string): string {
  if (choice !== "placement") {
    return value;
  }
  const { isRemote, node, label } = placeOf(value);
  if (node !== undefined) {
    return COMPOSER.onNode(node);
  }
  return label === undefined ? COMPOSER[isRemote ? "onFleet" : "here"] : COMPOSER.withLabel(label);
}
