import { html } from "lit-html";

import type { PageTask } from "../../../src/panel/pageTask.js";
import type { AsyncTask } from "../../../src/protocol.js";
import { allTokens } from "../../../src/text/runWords.js";
import { compact, dollars } from "../../../src/l10n/format.js";
import { endAdvice, isLive, STATUS_ICON, statusSentence } from "../../../src/text/outcome.js";
import { storedRef } from "../../../src/storedRef.js";
import { plain } from "../../text/format.js";
import { finalText } from "../../model/conversation/result.js";
import type { Event } from "../../model/events.js";
import type { OpenRun } from "../../model/openRun.js";
import type { Conversation, Usage } from "../../model/conversation/conversation.js";
import { failureDetail, storedIcon, storedSentence } from "../../text/words.js";
import { ACTIONS, ENDING } from "../../text/strings.js";
import { withCode } from "../common/code.js";
import { icon } from "../common/icon.js";
import { remembering, renderMarkdown } from "../markdown/markdown.js";
import { changes } from "./changes.js";
import { pathLink } from "./pathLink.js";
import { signInAdvice, signInButtons } from "./signIn.js";
import type { Part, View } from "../common/view.js";

const MAX_FILES = 100;
/** An error with more lines than this is folded, except its last line. */
const CAUSE_LINES = 4;

const resultElement = remembering((key: { text: string }) => renderMarkdown(key.text));
const resultKeys = new WeakMap<AsyncTask, { text: string }>();

/** Render how and why a run ended, its result, and what to do next. */
export function ending(view: View, open: OpenRun): Part {
  const { task } = open;
  if (task === undefined || isLive(task)) {
    return undefined;
  }
  return html`<section class="ending ending-${task.status}" aria-label=${ENDING.label}>
    <div class="ending-head">
      <span class="state state-${(task.stored ?? task).status}">${icon(iconOf(task))}</span>
      <p class="ending-state">${endWords(task)}</p>
      ${used(task, open)}
    </div>
    ${task.reason === "authRequired" && open.signIn !== undefined ? undefined : failure(task)}
    ${open.signIn === undefined ? undefined : signInAdvice(task, open.signIn)} ${result(task, open)}
    ${changedFiles(task, open, view)} ${broughtBack(task)} ${actions(view, open, task)}
  </section>`;
}

function iconOf({ stored, status }: PageTask): string {
  return stored === undefined ? STATUS_ICON[status] : storedIcon(stored);
}

function endWords(task: PageTask): string {
  return task.stored === undefined ? statusSentence(task) : storedSentence(task.stored);
}

function failure(task: AsyncTask): Part {
  const advice = endAdvice(task.endReason);
  const words = failureDetail(task);
  return html`${words === undefined ? undefined : failed(plain(words))}
  ${advice === undefined ? undefined : html`<p>${advice}</p>`}`;
}

/** Show the last line first: it names the cause in most error output. */
function failed(words: string): Part {
  const lines = words.trimEnd().split("\n");
  const cause = lines.at(-1) ?? "";
  return lines.length <= CAUSE_LINES
    ? html`<pre class="failure">${words}</pre>`
    : html`<pre class="failure">${cause}</pre>
        <details class="fold">
          <summary>${ENDING.allLines(lines.length)}</summary>
          <pre class="log" tabindex="0" aria-label=${ENDING.error}>${words}</pre>
        </details>`;
}

function result(task: AsyncTask, open: OpenRun): Part {
  const text = finalText(task, open.stream.conversation);
  if (text === undefined || text === task.error) {
    return undefined;
  }
  const known = resultKeys.get(task);
  const key = known?.text === text ? known : { text };
  resultKeys.set(task, key);
  return html`<h2>${ENDING.result}</h2>
    ${resultElement(key)}`;
}

/** Render what the run changed; of a failed run without reports, the files that it touched. */
function changedFiles(task: AsyncTask, open: OpenRun, view: View): Part {
  const files = open.files ?? [];
  return files.length === 0
    ? touchedFiles(task, view)
    : changes({ files, counts: task.changes, taskId: task.id, folder: task.workspaceDir }, view);
}

/** Say where the changes of a run on the fleet are: the files here are unchanged. */
function broughtBack({ id, placement, changes: made }: AsyncTask): Part {
  return placement?.kind === "ray" && made !== undefined && made.files > 0
    ? html`<p>${withCode(ENDING.broughtBack(`refs/sidecar/${id}`))}</p>`
    : undefined;
}

function touchedFiles({ id: taskId, partial, workspaceDir: folder }: AsyncTask, view: View): Part {
  const { send } = view;
  const files = partial?.touchedFiles ?? [];
  return files.length === 0
    ? undefined
    : html`<h2>${ENDING.files}</h2>
        <ul class="files">
          ${files
            .slice(0, MAX_FILES)
            .map((path) => html`<li>${pathLink({ path }, { taskId, folder, send })}</li>`)}
        </ul>`;
}

function used(task: AsyncTask, { stream }: OpenRun): Part {
  const facts = totals(task, stream.conversation);
  return facts.length === 0 ? undefined : html`<p class="hint">${facts.join(" · ")}</p>`;
}

/** Describe what a run has used so far; its events are more current than its record. */
export function totals(task: AsyncTask, { usage }: Conversation): string[] {
  const { toolCalls } = task.progress;
  const used = { ...task.progress, ...usage } as Usage;
  const { cost, contextUsed, contextSize } = used;
  const tokens = allTokens(used);
  return [
    ...(toolCalls > 0 ? [ENDING.toolCalls(toolCalls)] : []),
    ...(tokens > 0 ? [ENDING.tokens(compact(tokens))] : []),
    ...(typeof cost === "number" ? [dollars(cost)] : []),
    ...(contextUsed !== undefined && contextSize
      ? [ENDING.context(Math.round((100 * contextUsed) / contextSize))]
      : []),
  ];
}

/** Render what to do next: continue, and the rest in a menu. */
function actions(view: View, { isDeleted, signIn }: OpenRun, { id: taskId }: AsyncTask): Part {
  const { send } = view;
  const button = (words: string, event: Event, kind: string): Part =>
    html`<button
      type="button"
      class=${kind}
      @click=${() => {
        send(event);
      }}
    >
      ${words}
    </button>`;
  if (storedRef(taskId) !== undefined) {
    return html`<div class="actions">
      ${button(ENDING.continueWith, { type: "continueWith" }, "primary")}
    </div>`;
  }
  if (isDeleted) {
    return html`<div class="actions">
      ${button(ENDING.again, { type: "launchAgain" }, "secondary")}
    </div>`;
  }
  const resume = (kind: string): Part =>
    button(ENDING.resume, { type: "beginResume", taskId }, kind);
  return html`<div class="actions">
    ${signIn === undefined ? resume("primary") : signInButtons(view, taskId, signIn)}
    <details class="more-actions">
      <summary class="secondary" role="button" aria-label=${ENDING.more} title=${ENDING.more}>
        ${icon("ellipsis")}
      </summary>
      <div class="actions">
        ${signIn === undefined ? undefined : resume("secondary")}
        ${button(ENDING.again, { type: "launchAgain" }, "secondary")}
        ${button(ACTIONS.openTranscript, { type: "act", action: "openTranscript" }, "secondary")}
      </div>
    </details>
  </div>`;
}
