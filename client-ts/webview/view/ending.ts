import { html } from "lit-html";

import type { AsyncTask } from "../../src/protocol.js";
import { compact, counted, dollars, plain } from "../model/format.js";
import { finalText } from "../model/result.js";
import type { OpenRun } from "../model/openRun.js";
import { elapsed, isLive, remedy, STATUS_ICON, statusSentence } from "../model/words.js";
import { icon } from "./icon.js";
import { remembering, renderMarkdown } from "./markdown.js";
import type { Part, View } from "./view.js";

const resultElement = remembering((key: { text: string }) => renderMarkdown(key.text));
const resultKeys = new WeakMap<AsyncTask, { text: string }>();

/** How a run ended, why, with what result, and what can be done next. */
export function ending(view: View, open: OpenRun): Part {
  const { task } = open;
  if (task === undefined || isLive(task)) {
    return undefined;
  }
  return html`<section class="ending ending-${task.status}" aria-label="End of the run">
    <p class="ending-state">
      <span class="state state-${task.status}">${icon(STATUS_ICON[task.status])}</span>
      <span>${statusSentence(task)}</span>
    </p>
    ${failure(task)} ${result(task, open)} ${touchedFiles(task)}
    <p class="hint">${totals(task, view.now).join(" · ")}</p>
    ${actions(view)}
  </section>`;
}

function failure({ status, error, endReason }: AsyncTask): Part {
  const advice = remedy(endReason);
  const words = status === "failed" ? error : undefined;
  return html`${words === undefined ? undefined : html`<pre class="failure">${plain(words)}</pre>`}
  ${advice === undefined ? undefined : html`<p>${advice}</p>`}`;
}

function result(task: AsyncTask, open: OpenRun): Part {
  const text = finalText(task, open.stream.conversation);
  if (text === undefined || text === task.error) {
    return undefined;
  }
  const known = resultKeys.get(task);
  const key = known?.text === text ? known : { text };
  resultKeys.set(task, key);
  return html`<h3>Result</h3>
    ${resultElement(key)}`;
}

function touchedFiles({ partial }: AsyncTask): Part {
  const files = partial?.touchedFiles ?? [];
  return files.length === 0
    ? undefined
    : html`<h3>Files touched</h3>
        <ul class="files">
          ${files.slice(0, 100).map((file) => html`<li><code>${plain(file)}</code></li>`)}
        </ul>`;
}

/** What a run has used so far, each as a few words. */
export function totals(task: AsyncTask, now: number): string[] {
  const { toolCalls, inputTokens, outputTokens, cost } = task.progress;
  const tokens = (inputTokens ?? 0) + (outputTokens ?? 0);
  const time = elapsed({ ...task, goal: task.goalPrompt }, now);
  return [
    ...(time === undefined ? [] : [time]),
    ...(toolCalls > 0 ? [counted(toolCalls, "tool call")] : []),
    ...(tokens > 0 ? [`${compact(tokens)} tokens`] : []),
    ...(typeof cost === "number" ? [dollars(cost)] : []),
  ];
}

function actions({ send }: View): Part {
  return html`<div class="actions">
    <button
      type="button"
      class="secondary"
      @click=${() => {
        send({ type: "launchAgain" });
      }}
    >
      Launch Again…
    </button>
    <button
      type="button"
      class="secondary"
      @click=${() => {
        send({ type: "act", action: "openTranscript" });
      }}
    >
      Open Transcript
    </button>
  </div>`;
}
