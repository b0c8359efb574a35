import { html } from "lit-html";

import type { AsyncTask } from "../../../src/protocol.js";
import { plain } from "../../text/format.js";
import { ACTIONS, ENDING } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import type { Part, View } from "../common/view.js";

/** Render what a person has to do whose agent needs a sign-in. */
export function signInAdvice({ runner, error = "" }: AsyncTask, commands: readonly string[]): Part {
  const [command] = commands;
  return html`<p class="sign-in">
      ${command === undefined ? ENDING.signInElsewhere(runner) : ENDING.signIn(runner)}
    </p>
    ${commands.length === 1 ? html`<p class="sign-in-command">${icon("terminal")} <code>${plain(command ?? "")}</code></p>` : undefined}
    <details class="fold">
      <summary>${ENDING.error}</summary>
      <pre class="log" tabindex="0" aria-label=${ENDING.error}>${plain(error)}</pre>
    </details>`;
}

/** Render the buttons that sign in, or lead to where a key is set, and that launch the same goal again. */
export function signInButtons(
  { send }: View,
  taskId: string,
  commands: readonly string[],
): Part {
  const action = commands.length === 0 ? "openRunnerSettings" : "signIn";
  return html`<button
      type="button"
      class="primary"
      @click=${() => {
        send({ type: "act", action });
      }}
    >
      ${ACTIONS[action]}
    </button>
    <button
      type="button"
      class="secondary"
      @click=${() => {
        send({ type: "resume", taskId });
      }}
    >
      ${ENDING.retry}
    </button>`;
}
