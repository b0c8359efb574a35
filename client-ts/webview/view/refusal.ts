import { html } from "lit-html";

import type { LaunchProblem } from "../../src/text/launchProblem.js";
import type { Action } from "../../src/panel/messages.js";
import { icon } from "./icon.js";
import type { Part, View } from "./view.js";

/** What leads to each setting. */
const REMEDIES: Record<NonNullable<LaunchProblem["setting"]>, readonly [Action, string]> = {
  runners: ["openRunnerSettings", "Open Runner Settings"],
  maxAsyncTasks: ["changeLimit", "Change Limit"],
};

/** Say why something was refused and what can be done; `queue` has it wait for its turn. */
export function refusal(
  { message, canQueue, setting }: Partial<LaunchProblem> & { readonly message: string },
  send: View["send"],
  queue: () => void,
): Part {
  const [action, label] = setting === undefined ? [] : REMEDIES[setting];
  return html`<div class="problem" role="alert">
    ${icon("error")}
    <span>${message}</span>
    ${canQueue === true ? link("Add to Queue", queue) : undefined}
    ${
      action === undefined || label === undefined
        ? undefined
        : link(label, () => {
            send({ type: "act", action });
          })
    }
  </div>`;
}

function link(label: string, onClick: () => void): Part {
  return html`<button type="button" class="link" @click=${onClick}>${label}</button>`;
}
