import { html } from "lit-html";
import { live } from "lit-html/directives/live.js";

import { isExample } from "../../../src/exampleNames.js";
import type { SubagentInfo } from "../../../src/protocol.js";
import { placeInForce } from "../../model/composer/choices.js";
import { launchable, missingReason, type State } from "../../model/state.js";
import { COMPOSER } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import { textOf } from "../common/typing.js";
import type { Part, View } from "../common/view.js";

/** Render the other subagents that get the same goal, each with a button that leaves it out. */
export function others({ state, send }: View): Part {
  const { also = [] } = state.draft;
  return also.length === 0
    ? undefined
    : html`<ul class="others chips" aria-label=${COMPOSER.others}>
        ${also.map(
          (subagentName) =>
            html`<li>
              <bdi>${subagentName}</bdi>
              <button
                type="button"
                class="icon-button"
                title=${COMPOSER.leaveOut(subagentName)}
                aria-label=${COMPOSER.leaveOut(subagentName)}
                @click=${() => {
                  send({ type: "alsoUse", subagentName, isUsed: false });
                }}
              >
                ${icon("close")}
              </button>
            </li>`,
        )}
      </ul>`;
}

/** Describe how many subagents get the goal, and that some share a folder; undefined for one. */
export function togetherWords(state: State): string | undefined {
  const { subagentName, also } = state.draft;
  if (also === undefined) {
    return undefined;
  }
  const all = [subagentName, ...also];
  const isShared = (each: SubagentInfo): boolean =>
    all.includes(each.name) && !(state.fleet && placeInForce(each, state.chosen).isRemote);
  return COMPOSER.together(all.length, launchable(state).filter(isShared).length);
}

/** Render the list that adds another subagent, if there is one. */
export function adder({ state, send }: Pick<View, "state" | "send">): Part {
  const names = addable(state);
  return names.length === 0
    ? undefined
    : html`<span class="adder">
        ${icon("add")}
        <select
          aria-label=${COMPOSER.add}
          title=${COMPOSER.add}
          .value=${live("")}
          @change=${(event: Event) => {
            send({ type: "alsoUse", subagentName: textOf(event), isUsed: true });
          }}
        >
          <option value="" disabled selected>${COMPOSER.add}</option>
          ${names.map((name) => html`<option value=${name}>${name}</option>`)}
        </select>
      </span>`;
}

function addable(state: State): readonly string[] {
  const { subagentName, also = [] } = state.draft;
  return launchable(state)
    .filter((each) => missingReason(state, each) === undefined && !isExample(each))
    .map(({ name }) => name)
    .filter((name) => name !== subagentName && !also.includes(name));
}
