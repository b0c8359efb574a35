import { html } from "lit-html";

import { counted } from "../../src/text/format.js";
import { launchable, problemsOf } from "../model/state.js";
import { composer } from "./composer.js";
import { icon } from "./icon.js";
import { runList } from "./runList.js";
import type { Part, View } from "./view.js";

/** The first page: what is and was run, and the composer. */
export function home(view: View): Part {
  const { runs = [] } = view.state;
  return html`<section class="page home" aria-label="Subagents">
    <div class="home-body">
      ${runs.length === 0 ? nothingYet(view) : runList(view, runs)} ${problems(view)}
    </div>
    ${launchable(view.state).length > 0 ? composer(view) : undefined}
    ${runs.length > 0 ? noDefinitions(view) : undefined}
  </section>`;
}

function nothingYet(view: View): Part {
  const { state } = view;
  if (state.runs === undefined || state.definitions === undefined) {
    return undefined; // Nothing is known yet; the banner says what is going on.
  }
  if (launchable(state).length === 0) {
    return noDefinitions(view);
  }
  return html`<div class="welcome">
    ${icon("comment-discussion")}
    <h2>No conversations yet</h2>
    <p>
      Write a goal below and launch a subagent. It works in the background, and you can watch it
      here.
    </p>
  </div>`;
}

/** What stands in place of the definitions that are not read; the banner offers to trust. */
function unread(): Part {
  return html`<div class="welcome">
    ${icon("shield")}
    <h2>Subagents of this workspace are not read</h2>
    <p>
      Restricted Mode leaves their definitions alone. They are read once you trust the workspace.
    </p>
  </div>`;
}

function noDefinitions({ state, send }: View): Part {
  if (state.definitions === undefined || launchable(state).length > 0) {
    return undefined;
  }
  if (state.service.kind === "untrusted") {
    return unread();
  }
  return html`<div class="welcome">
    ${icon("robot")}
    <h2>No subagents are defined yet</h2>
    <p>See one at work first. The example needs no key and no network.</p>
    <button
      type="button"
      class="primary"
      ?disabled=${state.service.kind !== "running"}
      @click=${() => {
        send({ type: "act", action: "runExample" });
      }}
    >
      ${icon("play")} Run an Example
    </button>
    <p>A subagent of your own is a Markdown file that says what it is for.</p>
    <button
      type="button"
      class="secondary"
      @click=${() => {
        send({ type: "act", action: "createDefinition" });
      }}
    >
      ${icon("add")} New Subagent Definition…
    </button>
  </div>`;
}

function problems({ state, send }: View): Part {
  const found = problemsOf(state);
  if (found.length === 0) {
    return undefined;
  }
  return html`<details class="fold problems">
    <summary>${icon("warning")} ${counted(found.length, "problem")} in definitions</summary>
    <ul>
      ${found.map(
        ({ path, line, message }) =>
          html`<li>
            <button
              type="button"
              class="link path"
              title="Open ${path}"
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

/** The end of a path, which tells definitions apart; the whole is in its tooltip. */
function shortPath(path: string): string {
  return path.split(/[\\/]/u).slice(-3).join("/");
}
