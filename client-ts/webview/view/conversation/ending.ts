import { html } from "lit-html";

import { isExample } from "../../../src/exampleNames.js";
import type { PageTask } from "../../../src/panel/pageTask.js";
import type { AsyncTask } from "../../../src/protocol.js";
import { outcome } from "../../../src/text/outcomeStrings.js";
import { allTokens, estimateWords } from "../../../src/text/runWords.js";
import { compact, dollars } from "../../../src/l10n/format.js";
import { isLive, shownLook, STATUS_ICON, stateOf } from "../../../src/text/outcome.js";
import { storedRef } from "../../../src/storedRef.js";
import { changesOf } from "../../model/shown/changeCounts.js";
import {
  adviceOf,
  broughtBackWords,
  endSentence,
  type Failure,
  failureOf,
  listedTouches,
  shownResult,
} from "../../model/shown/endTexts.js";
import type { Event } from "../../model/events.js";
import { textWeight } from "../../model/conversation/weight.js";
import type { OpenRun } from "../../model/openRun.js";
import type { Conversation, Usage } from "../../model/conversation/conversation.js";
import { END } from "../../model/find/parts.js";
import { storedLook } from "../../text/words.js";
import { ACTIONS, ENDING } from "../../text/strings.js";
import { withCode } from "../common/code.js";
import { foldSummary } from "../common/foldSummary.js";
import { icon } from "../common/icon.js";
import { renderMarkdown } from "../markdown/markdown.js";
import { remembering, type Unrendered } from "../markdown/remembering.js";
import { changes } from "./changes.js";
import { pathLink } from "./pathLink.js";
import { signInAdvice, signInButtons } from "./signIn.js";
import type { Part, View } from "../common/view.js";

const resultElement = remembering((key: { text: string }) => renderMarkdown(key.text));
const resultKeys = new WeakMap<AsyncTask, { text: string }>();

/** Render how and why a run ended, its result, and what to do next. */
export function ending(view: View, open: OpenRun): Part {
  const { task } = open;
  if (task === undefined || isLive(task)) {
    return undefined;
  }
  const look = lookOf(task);
  return html`<section
    class="ending ending-${task.status}"
    aria-label=${ENDING.label}
    data-part=${END}
  >
    <div class="ending-head">
      <span class="state state-${look.status}">${icon(look.glyph)}</span>
      <p class="ending-state">${endSentence(task)}</p>
      ${used(task, open)}
    </div>
    ${failure(task, open.signIn)}
    ${open.signIn === undefined ? undefined : signInAdvice(task, open.signIn)} ${result(task, open)}
    ${changedFiles(task, open, view)} ${broughtBack(task)} ${actions(view, open, task)}
  </section>`;
}

function lookOf(task: PageTask): { glyph: string; status: string } {
  const status = shownLook(stateOf(task));
  return task.stored === undefined
    ? { glyph: STATUS_ICON[status], status }
    : storedLook(task.stored);
}

function failure(task: AsyncTask, signIn: readonly string[] | undefined): Part {
  const [words, advice] = [failureOf(task, signIn), adviceOf(task, signIn)];
  return html`${words === undefined ? undefined : failed(words)}
  ${advice === undefined ? undefined : html`<p>${advice}</p>`}`;
}

function failed({ cause, whole }: Failure): Part {
  return html`<pre class="failure">${cause}</pre>
    ${
      whole === undefined
        ? undefined
        : html`<details class="fold">
            ${foldSummary(ENDING.allLines(whole.trimEnd().split("\n").length))}
            <pre class="log" tabindex="0" aria-label=${ENDING.error}>${whole}</pre>
          </details>`
    }`;
}

function result(task: AsyncTask, open: OpenRun): Part {
  const key = resultKey(task, open);
  return key === undefined
    ? undefined
    : html`<h2>${ENDING.result}</h2>
        ${resultElement(key)}`;
}

/** Return the result that is shown of a run: the same object until it changes. */
function resultKey(task: AsyncTask, { stream }: OpenRun): { text: string } | undefined {
  const text = shownResult(task, stream.conversation);
  if (text === undefined) {
    return undefined;
  }
  const known = resultKeys.get(task);
  const key = known?.text === text ? known : { text };
  resultKeys.set(task, key);
  return key;
}

/** Return the result of an ended run if it has not been rendered. */
export function unrenderedResult(open: OpenRun): Unrendered | undefined {
  const { task } = open;
  const key = task === undefined || isLive(task) ? undefined : resultKey(task, open);
  return key === undefined || resultElement.has(key)
    ? undefined
    : { weight: textWeight(key), render: () => resultElement(key) };
}

/** Render what the run changed; of a failed run without reports, the files that it touched. */
function changedFiles(task: AsyncTask, open: OpenRun, view: View): Part {
  const files = open.files ?? [];
  return files.length === 0
    ? touchedFiles(task, view)
    : changes(
        {
          ...{ files, texts: open.texts ?? [], counts: changesOf(task, files) },
          ...{ taskId: task.id, folder: task.workspaceDir },
        },
        view,
      );
}

function broughtBack(task: AsyncTask): Part {
  const words = broughtBackWords(task);
  return words === undefined ? undefined : html`<p>${withCode(words)}</p>`;
}

function touchedFiles(task: AsyncTask, { send }: View): Part {
  const { id: taskId, workspaceDir: folder } = task;
  const files = listedTouches(task);
  return files.length === 0
    ? undefined
    : html`<h2>${ENDING.files}</h2>
        <ul class="files">
          ${files.map((path) => html`<li>${pathLink({ path }, { taskId, folder, send })}</li>`)}
        </ul>`;
}

function used(task: PageTask, { stream }: OpenRun): Part {
  const facts = totals(task, stream.conversation);
  return facts.length === 0 ? undefined : html`<p class="hint">${facts.join(" · ")}</p>`;
}

/** Describe what a run has used so far; its events are more current than its record. */
export function totals(task: PageTask, { usage }: Conversation): string[] {
  const { toolCalls } = task.progress;
  const used = { ...task.progress, ...usage } as Usage;
  const { cost, contextUsed, contextSize } = used;
  const tokens = allTokens(used);
  return [
    ...(toolCalls > 0 ? [ENDING.toolCalls(toolCalls)] : []),
    ...(tokens > 0 ? [ENDING.tokens(compact(tokens))] : []),
    ...costFacts(task, cost, tokens),
    ...(contextUsed !== undefined && contextSize
      ? [ENDING.context(Math.round((100 * contextUsed) / contextSize))]
      : []),
  ];
}

function costFacts(task: PageTask, cost: number | null | undefined, tokens: number): string[] {
  if (typeof cost === "number") {
    return [dollars(cost)];
  }
  const unknown = tokens > 0 && !isLive(task) ? outcome.costUnknown : undefined;
  return [estimateWords(task.stored?.estimatedCost) ?? unknown].filter(
    (words) => words !== undefined,
  );
}

/** Render what to do next: continue, and the rest in a menu. */
function actions(view: View, { isDeleted, signIn }: OpenRun, task: AsyncTask): Part {
  const { send } = view;
  const { id: taskId, status } = task;
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
  if (status === "failed" && isExample(task)) {
    return html`<div class="actions">
      ${button(ENDING.useAgent, { type: "launchAgain" }, "primary")}
    </div>`;
  }
  const resume = (kind: string): Part =>
    button(ENDING.resume, { type: "beginResume", taskId }, kind);
  const again = (kind: string): Part => button(ENDING.again, { type: "launchAgain" }, kind);
  const canOnlyRestart = status === "failed" && task.progress.turns === 0;
  const first = canOnlyRestart ? again : resume;
  return html`<div class="actions">
    ${signIn === undefined ? first("primary") : signInButtons(view, taskId, signIn)}
    <details class="more-actions">
      <summary class="secondary" role="button" aria-label=${ENDING.more} title=${ENDING.more}>
        ${icon("ellipsis")}
      </summary>
      <div class="actions">
        ${signIn === undefined && !canOnlyRestart ? undefined : resume("secondary")}
        ${signIn === undefined && canOnlyRestart ? undefined : again("secondary")}
        ${button(ACTIONS.openTranscript, { type: "act", action: "openTranscript" }, "secondary")}
      </div>
    </details>
  </div>`;
}
