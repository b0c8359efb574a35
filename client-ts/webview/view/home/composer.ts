import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";

import { definitions } from "../../../src/text/strings.js";
import { approvalLine, askedFacts } from "../../../src/text/definitionWords.js";
import { isExample } from "../../../src/exampleNames.js";
import type { FleetOffer } from "../../../src/offers/placement.js";
import { placeInForce } from "../../model/composer/choices.js";
import { commandsOf, launchable, launchProblem, missingReason } from "../../model/state.js";
import { COMPOSER } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import { refusal } from "../common/refusal.js";
import { attachButton, attachments, onDragOver, onDrop, onPaste } from "./attachments.js";
import { choices } from "./choices.js";
import {
  areSuggestionsShown,
  currentSuggestion,
  onSuggestionKey,
  suggestions,
  writeGoal,
} from "./suggestions.js";
import { adder, others, togetherWords } from "./others.js";
import { submitOnEnter, textOf } from "../common/typing.js";
import type { Part, View } from "../common/view.js";

/** Render the form that launches a run: goal, subagent and button. */
export function composer(view: View): Part {
  const { state, send } = view;
  const submit = (event: globalThis.Event): void => {
    event.preventDefault();
    send({ type: "submit" });
  };
  return html`<form
    class="composer"
    aria-label=${COMPOSER.label}
    @submit=${submit}
    @dragover=${onDragOver}
    @drop=${(event: DragEvent) => {
      onDrop(event, send);
    }}
  >
    ${problem(view)}
    <div class="composer-box">
      <label class="sr-only" for="goal">${COMPOSER.goal}</label>
      <textarea
        id="goal"
        rows="2"
        placeholder=${commandsOf(state).length > 0 ? COMPOSER.placeholderCommands : COMPOSER.placeholder}
        aria-describedby="composer-hint"
        aria-invalid=${state.launch.kind === "refused"}
        aria-autocomplete="list"
        aria-controls=${areSuggestionsShown(state) ? "suggestions" : nothing}
        aria-activedescendant=${areSuggestionsShown(state) ? currentSuggestion(state) : nothing}
        .value=${live(state.draft.goal)}
        @input=${(event: InputEvent) => {
          writeGoal(event.target as HTMLTextAreaElement, send);
        }}
        @paste=${(event: ClipboardEvent) => {
          onPaste(event, send);
        }}
        @blur=${() => {
          send({ type: "closeMention" });
        }}
        @keydown=${(event: KeyboardEvent) => {
          if (!onSuggestionKey(event, view)) {
            submitOnEnter(event, () => {
              send({ type: "submit" });
            });
          }
        }}
      ></textarea>
      ${suggestions(view)} ${attachments(view)} ${others(view)} ${choices(view)}
      <div class="composer-bar">${picker(view)} ${launchButton(view)}</div>
    </div>
    <p id="composer-hint" class="hint">${hint(view)}</p>
  </form>`;
}

function picker({ state, send }: Pick<View, "state" | "send">): Part {
  const chosen = state.draft.subagentName;
  return html`<label class="sr-only" for="subagent">${COMPOSER.subagent}</label>
    <span class="picker">
      ${icon("robot")}
      <select
        id="subagent"
        @change=${(event: Event) => {
          send({ type: "choose", subagentName: textOf(event) });
        }}
      >
        ${launchable(state).map((each) => {
          const { name } = each;
          const mark = missingReason(state, each) === undefined ? "" : ` (${COMPOSER.unavailable})`;
          return html`<option value=${name} .selected=${live(name === chosen)}>
            ${name}${mark}
          </option>`;
        })}
      </select>
      <button
        type="button"
        class="icon-button"
        title=${COMPOSER.choose}
        aria-label=${COMPOSER.choose}
        @click=${() => {
          send({ type: "act", action: "chooseDefinition" });
        }}
      >
        ${icon("list-selection")}
      </button>
      ${adder({ state, send })} ${attachButton({ send })}
    </span>`;
}

function launchButton({ state }: View): Part {
  const sending = state.launch.kind === "sending";
  const problem = launchProblem(state);
  const count = 1 + (state.draft.also?.length ?? 0);
  const words = count === 1 ? COMPOSER.launch : COMPOSER.launchSeveral(count);
  return html`<button
    type="submit"
    class="primary"
    title=${problem ?? COMPOSER.launchHint}
    ?disabled=${sending || problem !== undefined}
  >
    ${icon(sending ? "loading~spin" : "play")} ${sending ? COMPOSER.launching : words}
  </button>`;
}

function problem({ state: { launch }, send }: View): Part {
  if (launch.kind === "idle" || launch.message === undefined) {
    return undefined;
  }
  const queue = (): void => {
    send({ type: "queue" });
  };
  return refusal({ ...launch, message: launch.message }, send, queue);
}

function hint({ state }: View): string {
  const together = togetherWords(state);
  if (together !== undefined) {
    return together;
  }
  const chosen = launchable(state).find(({ name }) => name === state.draft.subagentName);
  if (chosen === undefined) {
    return COMPOSER.keys;
  }
  if (isExample(chosen)) {
    return definitions.exampleHint;
  }
  const { fleet } = state;
  const isRemote = fleet !== undefined && placeInForce(chosen, state.chosen).isRemote;
  const missing = missingReason(state, chosen);
  if (missing !== undefined && !isRemote) {
    return COMPOSER.unavailableHint(missing);
  }
  const { description, runner, model } = chosen;
  const by = [runner, model ?? "", ...askedFacts(chosen)].filter((fact) => fact !== "");
  const line = approvalLine(chosen);
  const approval = line === undefined ? "" : ` ${COMPOSER.approval(line)}`;
  const what = by.length === 0 ? description : description.replace(/[.。]$/u, "");
  return `${what}${by.length === 0 ? "" : ` (${by.join(", ")}).`}${approval}${isRemote ? fleetHint(fleet) : ""}`;
}

/** Describe how much of the cluster is free, or why it cannot be used. */
function fleetHint({ problem, freeSlots, slots }: FleetOffer): string {
  if (problem !== undefined) {
    return ` ${COMPOSER.fleetProblem(problem)}`;
  }
  return freeSlots === undefined || slots === undefined
    ? ""
    : ` ${COMPOSER.freeSlots(freeSlots, slots)}`;
}
