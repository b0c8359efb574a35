import { html } from "lit-html";

import type { PlanEntry } from "../../../src/protocol.js";
import { plain } from "../../text/format.js";
import { PLAN as PLAN_PART } from "../../model/find/parts.js";
import { PLAN } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import type { Part } from "../common/view.js";

const STEPS: Record<string, readonly [glyph: string, word: string]> = {
  pending: ["circle-large-outline", PLAN.pending],
  in_progress: ["arrow-circle-right", PLAN.current],
  completed: ["pass-filled", PLAN.done],
};
const TO_DO = ["circle-large-outline", PLAN.pending] as const;

/** Render the agent's current plan; it is folded once the run has ended. */
export function plan(entries: readonly PlanEntry[] | undefined, live: boolean): Part {
  if (entries === undefined || entries.length === 0) {
    return undefined;
  }
  const done = entries.filter(({ status }) => status === "completed").length;
  const current = live ? entries.find(({ status }) => status === "in_progress") : undefined;
  return html`<details class="plan" ?open=${live} data-part=${PLAN_PART}>
    <summary>
      ${icon("chevron-right")} ${PLAN.summary(done, entries.length)}
      ${current === undefined ? undefined : html`<bdi class="hint">${plain(current.content)}</bdi>`}
    </summary>
    <ol tabindex="0" aria-label=${PLAN.label}>
      ${entries.map(step)}
    </ol>
  </details>`;
}

function step({ content, status = "pending" }: PlanEntry): Part {
  const [glyph, word] = STEPS[status] ?? TO_DO;
  return html`<li class="step-${status}">
    ${icon(glyph)}<span class="sr-only">${word}: </span><bdi>${plain(content)}</bdi>
  </li>`;
}
