import { html } from "lit-html";

import { launchable, problemsOf } from "../../model/state.js";
import { ACTIONS, HOME } from "../../text/strings.js";
import { composer } from "./composer.js";
import { icon } from "../common/icon.js";
import { agentsOffered, createButton, forOwnGoals } from "./agentsOffered.js";
import { agentList } from "../list/list.js";
import type { Part, View } from "../common/view.js";

/** Render the first page: the list of runs and the composer. */
export function home(view: View): Part {
  const { runs = [], list } = view.state;
  const isEmpty = runs.length === 0 && (list.history?.total ?? 0) === 0;
  return html`<section class="page home" aria-label=${HOME.label}>
    ${isEmpty ? html`<div class="home-body">${nothingYet(view)}</div>` : agentList(view)}
    ${problems(view)} ${forOwnGoals(view)}
    ${launchable(view.state).length > 0 ? composer(view) : undefined}
    ${isEmpty ? undefined : nudge(view)}
  </section>`;
}

function nothingYet(view: View): Part {
  const { state } = view;
  if (state.runs === undefined || state.definitions === undefined) {
    return undefined; // Nothing is known yet; the banner explains why.
  }
  if (launchable(state).length === 0) {
    return noDefinitions(view);
  }
  return html`<div class="welcome">
    ${icon("comment-discussion")}
    <h2>${HOME.empty}</h2>
    <p>${HOME.emptyHint}</p>
  </div>`;
}

/** Render why definitions are missing in Restricted Mode; the banner has the button to trust. */
function untrusted(): Part {
  return html`<div class="welcome">
    ${icon("shield")}
    <h2>${HOME.untrusted}</h2>
    <p>${HOME.untrustedHint}</p>
  </div>`;
}

function noDefinitions(view: View): Part {
  if (view.state.service.kind === "untrusted") {
    return untrusted();
  }
  return html`<div class="welcome">
    ${icon("robot")}
    <h2>${missing(view)}</h2>
    ${agentsOffered(view)}
    <p>${HOME.exampleHint}</p>
    ${exampleButton(view)}
    <p>${HOME.definitionHint}</p>
    ${createButton(view)}
  </div>`;
}

/** Render below the list, where the composer would be, why nothing can be launched. */
function nudge(view: View): Part {
  const { state } = view;
  if (state.definitions === undefined || launchable(state).length > 0) {
    return undefined;
  }
  return state.service.kind === "untrusted"
    ? html`<p class="nudge hint">${HOME.untrusted}. ${HOME.untrustedHint}</p>`
    : html`<div class="nudge" role="group" aria-labelledby="missing">
        <p id="missing">${missing(view)}</p>
        ${agentsOffered(view)}
        <div class="actions">${exampleButton(view)} ${createButton(view)}</div>
      </div>`;
}

/** Say that there is no subagent, and that one is needed if a goal waits for it. */
function missing({ state }: View): string {
  return state.draft.goal === "" ? HOME.noDefinitions : HOME.goalWaits;
}

function exampleButton({ state, send }: View): Part {
  return html`<button
    type="button"
    class=${state.installed.length === 0 ? "primary" : "secondary"}
    title=${HOME.exampleHint}
    ?disabled=${state.service.kind !== "running"}
    @click=${() => {
      send({ type: "act", action: "runExample" });
    }}
  >
    ${icon("play")} ${ACTIONS.runExample}
  </button>`;
}

function problems({ state, send }: View): Part {
  const found = problemsOf(state);
  if (found.length === 0) {
    return undefined;
  }
  return html`<details class="fold problems">
    <summary>${icon("warning")} ${HOME.problems(found.length)}</summary>
    <ul>
      ${found.map(
        ({ path, line, message }) =>
          html`<li>
            <button
              type="button"
              class="link path"
              title=${HOME.open(path)}
              @click=${() => {
                send({ type: "openDefinition", path, ...(line === undefined ? {} : { line }) });
              }}
            >
              ${shortPath(path)}${line === undefined ? "" : `:${line}`}
            </button>
            ${message}
          </li>`,
      )}
    </ul>
  </details>`;
}

/** Return the end of a path, which distinguishes definitions; the tooltip has all of it. */
function shortPath(path: string): string {
  return path.split(/[\\/]/u).slice(-3).join("/");
}
