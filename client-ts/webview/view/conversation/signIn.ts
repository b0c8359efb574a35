import { html } from "lit-html";

import type { AsyncTask } from "../../../src/protocol.js";
import { plain } from "../../text/format.js";
import { ACTIONS, ENDING } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import type { Part, View } from "../common/view.js";

/** Render what a person has to do whose agent needs a sign-in, and the agent's words if it says only that. */
export function signInAdvice(
  { runner, reason, error }: AsyncTask,
  commands: readonly string[],
): Part {
  const words = commands.length === 0 ? ENDING.signInElsewhere : ENDING.signIn;
  return html`<p class="sign-in">${words(runner)}</p>
    ${commands.length === 1 ? commands.map(commandView) : undefined}
    ${reason === undefined || error === undefined ? undefined : fullError(error)}`;
}

function commandView(command: string): Part {
  return html`<p class="sign-in-command">${icon("terminal")} <code>${plain(command)}</code></p>`;
}

function fullError(error: string): Part {
  return html`<details class="fold">
    <summary>${ENDING.error}</summary>
    <pre class="log" tabindex="0" aria-label=${ENDING.error}>${plain(error)}</pre>
  </details>`;
}

/** Render the buttons that sign in, or lead to where a key is set, and that launch the same goal again. */
export function signInButtons({ send }: View, taskId: string, commands: readonly string[]): Part {
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
