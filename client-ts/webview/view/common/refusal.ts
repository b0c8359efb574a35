import { html } from "lit-html";

import type { LaunchProblem } from "../../../src/refusals/launchProblem.js";
import type { Action } from "../../../src/panel/messages.js";
import { ACTIONS, COMPOSER } from "../../text/strings.js";
import { icon } from "./icon.js";
import { linkButton } from "./linkButton.js";
import type { Part, View } from "./view.js";

/** The action and label that open each setting. */
const REMEDIES: Record<NonNullable<LaunchProblem["setting"]>, readonly [Action, string]> = {
  runners: ["openRunnerSettings", ACTIONS.openRunnerSettings],
  maxAsyncTasks: ["changeLimit", ACTIONS.changeLimit],
};

/** Render why a request was refused and what to do; `queue` repeats it as a queued one. */
export function refusal(
  { message, canQueue, setting }: Partial<LaunchProblem> & { readonly message: string },
  send: View["send"],
  queue: () => void,
): Part {
  const [action, label] = setting === undefined ? [] : REMEDIES[setting];
  return html`<div class="problem" role="alert">
    ${icon("error")}
    <span>${message}</span>
    ${canQueue === true ? linkButton(COMPOSER.queue, queue) : undefined}
    ${
      action === undefined || label === undefined
        ? undefined
        : linkButton(label, () => {
            send({ type: "act", action });
          })
    }
  </div>`;
}
