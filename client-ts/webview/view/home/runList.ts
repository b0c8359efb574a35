import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import type { RunRow } from "../../../src/panel/messages.js";
import { changeWords } from "../../../src/text/runWords.js";
import { ago } from "../../../src/text/format.js";
import { elapsed, isLive, STATUS_ICON } from "../../../src/text/outcome.js";
import { plain } from "../../text/format.js";
import { shownStatus, statusText } from "../../text/words.js";
import { CONVERSATION, HOME } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import type { Part, View } from "../common/view.js";

/** Render the list of conversations. Arrow keys, Home and End move in it, Tab leaves it. */
export function runList(view: View, runs: readonly RunRow[]): Part {
  const inOrder = [...runs.filter(isLive), ...runs.filter((run) => !isLive(run))];
  const current = inOrder.some(({ id }) => id === view.state.current)
    ? view.state.current
    : inOrder[0]?.id;
  return html`<ul class="runs" aria-label=${HOME.list} @keydown=${moveFocus}>
    ${repeat(
      inOrder,
      ({ id }) => id,
      (run) => html`<li>${row(view, run, run.id === current)}</li>`,
    )}
  </ul>`;
}

function row({ state, now, send }: View, run: RunRow, current: boolean): Part {
  const cancelling = state.cancelling.has(run.id);
  const status = shownStatus(run, cancelling);
  return html`<button
    type="button"
    class="run"
    data-run=${run.id}
    tabindex=${current ? 0 : -1}
    @click=${() => {
      send({ type: "openRun", taskId: run.id });
    }}
    @focus=${() => {
      send({ type: "focusRun", taskId: run.id });
    }}
  >
    <span class="state state-${status}">${icon(STATUS_ICON[status])}</span>
    <span class="run-goal"><bdi>${plain(run.goal)}</bdi></span>
    <span class="run-facts">
      <bdi>${run.subagentName}</bdi
      >${facts(run, cancelling, now).map((fact) => html`<span>${fact}</span>`)}
    </span>
  </button>`;
}

function facts(run: RunRow, cancelling: boolean, now: number): string[] {
  const when = run.completedAt === undefined ? undefined : ago(run.completedAt, now);
  const from = run.from && CONVERSATION.launchedFrom(run.from);
  const state = [statusText(run, cancelling), elapsed(run, now), when];
  const known = [...state, changeWords(run.changes), from];
  return known.filter((fact) => fact !== undefined);
}

const STEPS: Partial<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_, last) => last,
};

function moveFocus(event: KeyboardEvent): void {
  const step = STEPS[event.key];
  const rows = [...(event.currentTarget as Element).querySelectorAll<HTMLElement>(".run")];
  const at = rows.findIndex((each) => each === document.activeElement);
  if (step !== undefined && at >= 0) {
    event.preventDefault();
    rows[step(at, rows.length - 1)]?.focus();
  }
}
