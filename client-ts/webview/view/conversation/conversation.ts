import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import type { Progress, Waiting } from "../../../src/protocol.js";
import type { RunRow } from "../../../src/panel/listMessages.js";
import type { PageSide } from "../../../src/panel/messages.js";
import type { StoredState } from "../../../src/panel/pageTask.js";
import { askedLine } from "../../../src/questions/questions.js";
import { storedRef } from "../../../src/storedRef.js";
import {
  changeWords,
  errorWords,
  modelWords,
  placeWords,
  retryWords,
  startingWords,
  unmetSentence,
} from "../../../src/text/runWords.js";
import { oneLine } from "../../../src/text/words.js";
import { clock, duration } from "../../../src/l10n/format.js";
import { elapsed, isLive, STATUS_ICON, storedText } from "../../../src/text/outcome.js";
import { cutText, plain } from "../../text/format.js";
import { GOAL_CHARS, keyOf } from "../../model/conversation/items.js";
import { changesOf } from "../../model/shown/changeCounts.js";
import { answerAt } from "../../model/shown/endTexts.js";
import { openCall } from "../../model/conversation/conversation.js";
import { GOAL } from "../../model/find/parts.js";
import { hasMore, type OpenRun, shownOf, showsTail } from "../../model/openRun.js";
import type { State } from "../../model/state.js";
import { hasAfter, type Stream } from "../../model/conversation/stream.js";
import { resumeWords, shortStatusText, shownLook, storedLook } from "../../text/words.js";
import { ACTIONS, CONVERSATION } from "../../text/strings.js";
import { attachedFiles } from "../common/attached.js";
import { ending, totals } from "./ending.js";
import { findBar } from "./findBar.js";
import { errorOutput, variables } from "./folds.js";
import { icon } from "../common/icon.js";
import type { ItemContext } from "./context.js";
import { itemView } from "./item.js";
import { linkButton } from "../common/linkButton.js";
import { minimap } from "./minimap.js";
import { onMarkdownClick } from "../markdown/clicks.js";
import { plan } from "./plan.js";
import { speechBox, unsaidMessages } from "./speech.js";
import type { Part, View } from "../common/view.js";

/** How much of the goal names the conversation, in characters. */
const TITLE_CHARS = 120;
/** How much of a question is shown in the head, in characters. */
const ASKS_CHARS = 240;
/** Time without output after which the silence is shown, in ms. */
const SILENCE_MS = 30_000;

/** Render one run as a conversation; `onScroll` receives its scroll and scrollend events. */
export function conversation(view: View, open: OpenRun, onScroll: (event: Event) => void): Part {
  return html`<section class="page conversation" aria-label=${titleOf(view, open)}>
    ${head(view, open)} ${problem(open)} ${unmet(open)}
    ${plan(open.stream.conversation.plan, contextOf(view, open).live)}
    <div class="reading">
      ${findBar(view, open)}
      <div
        class="scroller"
        id="scroller"
        tabindex="0"
        role="log"
        aria-live="off"
        aria-labelledby="conversation-title"
        @scroll=${onScroll}
        @scrollend=${onScroll}
        @click=${(event: Event) => {
          onMarkdownClick(event, open.taskId, view.send);
        }}
      >
        ${hasMore(open, "before") ? undefined : html`${earlierRun(view, open)} ${goal(open)}`}
        ${items(view, open)} ${showsTail(open) ? tail(view, open) : undefined}
      </div>
      ${minimap(view, open)}
    </div>
    <div class="over">${jump(view, open)}</div>
    ${speechBox(view, open)}
  </section>`;
}

/** Return the beginning of the goal, which names the conversation. */
function titleOf(view: View, open: OpenRun): string {
  return oneLine(rowOf(view, open)?.goal ?? CONVERSATION.title, TITLE_CHARS);
}

function head(view: View, open: OpenRun): Part {
  const row = rowOf(view, open);
  const back = (): void => {
    view.send({ type: "closeRun" });
  };
  return html`<header class="head">
    ${
      view.state.place === "editor"
        ? undefined
        : html`<button
            type="button"
            class="icon-button"
            aria-label=${CONVERSATION.back}
            title=${CONVERSATION.back}
            @click=${back}
          >
            ${icon("arrow-left")}
          </button>`
    }
    <div class="head-text">
      <h1 id="conversation-title">
        <bdi>${row === undefined ? CONVERSATION.title : headingOf(row, open.title)}</bdi>
      </h1>
      ${row === undefined ? undefined : headFacts(view, row, open)}
    </div>
    ${row === undefined ? undefined : cancelButton(view, row)}
  </header>`;
}

function headingOf(row: RunRow, title = row.goal): string {
  return oneLine(plain(title), TITLE_CHARS);
}

function headFacts(view: View, row: RunRow, open: OpenRun): Part {
  const { now } = view;
  const stored = open.task?.stored;
  const { status, glyph, words } = stored === undefined ? runState(view, row) : storedState(stored);
  const time = elapsed(row, now);
  const facts = [
    row.subagentName,
    row.from && CONVERSATION.launchedFrom(row.from),
    placeWords(row, now),
    ...modelWords(row),
    changeWords(row.changes ?? changesOf(open.task, open.files)),
  ].filter((fact) => fact !== undefined);
  return html`<p class="head-facts">
    <span class="state state-${status}">${icon(glyph)}</span>
    <span>${words}</span>
    ${time === undefined ? undefined : html`<span class="elapsed" role="timer">${time}</span>`}
    ${facts.map((fact) => html` <span class="fact"><bdi>${fact}</bdi></span>`)}
  </p>`;
}

function runState({ state }: View, row: RunRow) {
  const cancelling = state.cancelling.has(row.id);
  const status = shownLook(row, cancelling);
  return { status, glyph: STATUS_ICON[status], words: shortStatusText(row, cancelling) };
}

function storedState(stored: StoredState) {
  return { ...storedLook(stored), words: storedText(stored) };
}

function cancelButton({ state, send }: View, row: RunRow): Part {
  if (!isLive(row)) {
    return undefined;
  }
  const cancelling = state.cancelling.has(row.id);
  return html`<button
    type="button"
    class="secondary cancel"
    aria-disabled=${cancelling}
    @click=${() => {
      send({ type: "cancelRun" });
    }}
  >
    ${icon(cancelling ? "loading~spin" : "debug-stop")}
    ${cancelling ? CONVERSATION.cancelling : CONVERSATION.cancel}
  </button>`;
}

function problem({ taskId, problem: words, isDeleted }: OpenRun): Part {
  if (isDeleted) {
    const isStored = storedRef(taskId) !== undefined;
    return html`<p class="deleted" role="status">
      ${icon("trash")} <span>${isStored ? CONVERSATION.deletedTask : CONVERSATION.deleted}</span>
    </p>`;
  }
  return words === undefined
    ? undefined
    : html`<p class="problem" role="alert">${icon("error")} <span>${words}</span></p>`;
}

/** Render what the run has to do without, such as a server that does not work. */
function unmet({ task }: OpenRun): Part {
  return html`${task?.progress.unmet?.map(
    (each) =>
      html`<p class="unmet" role="status">
        ${icon("warning")} <span><bdi>${unmetSentence(each)}</bdi></span>
      </p>`,
  )}`;
}

function earlierRun({ send }: View, { task }: OpenRun): Part {
  const taskId = task?.resumes;
  return taskId === undefined
    ? undefined
    : html`<p class="hint">
        ${CONVERSATION.continued}
        ${linkButton(CONVERSATION.earlierRun, () => {
          send({ type: "openRun", taskId });
        })}
        ${resumeWords(task?.resumeMode)}
      </p>`;
}

function goal({ task }: OpenRun): Part {
  return task === undefined
    ? undefined
    : html`<section class="goal" aria-label=${CONVERSATION.goal} data-part=${GOAL}>
        <p dir="auto">${plain(cutText(task.goalPrompt, GOAL_CHARS))}</p>
        ${attachedFiles(task.attachments)}
      </section>`;
}

function items(view: View, open: OpenRun): Part {
  const {
    conversation: { items: all, dropped },
  } = open.stream;
  const shown = shownOf(open);
  const context = contextOf(view, open);
  const answer = answerAt(open.task, open.stream.conversation);
  const numbered = all
    .slice(shown.start - dropped, shown.end - dropped)
    .map((item, at) => ({ item, at: shown.start + at }));
  return html`${more(view, open, "before")}
    <ol class="items">
      ${repeat(
        numbered,
        ({ item }) => keyOf(item),
        ({ item, at }) => itemView(item, at, context, item === all[answer ?? -1]),
      )}
    </ol>
    ${open.reading === undefined ? undefined : more(view, open, "after")}`;
}

function contextOf({ send, state }: View, { task, taskId, answering }: OpenRun): ItemContext {
  const live = task === undefined || isLive(task);
  return { taskId, live, folder: task?.workspaceDir, answering, forms: state.forms, send };
}

/** Render a button for those who do not scroll: scrolling shows more automatically. */
function more({ send }: View, open: OpenRun, side: PageSide): Part {
  if (!hasMore(open, side)) {
    return undefined;
  }
  const loading = open.loading === side;
  return html`<button
    type="button"
    class="more"
    aria-disabled=${loading}
    @click=${() => {
      send({ type: side === "before" ? "earlier" : "later" });
    }}
  >
    ${loading ? CONVERSATION.loading : side === "before" ? CONVERSATION.earlier : CONVERSATION.later}
  </button>`;
}

function tail(view: View, open: OpenRun): Part {
  const { task } = open;
  const log = errorOutput(open);
  // What a run answered and its result stay together.
  const isEnded = task !== undefined && !isLive(task);
  return html`${variables(open)} ${isEnded ? undefined : log} ${unsaidMessages(view, open)}
  ${activity(view, open)} ${ending(view, open)} ${isEnded ? log : undefined}`;
}

/** Render what a run is doing now, and how long it has been silent. */
function activity({ now, state, send }: View, open: OpenRun): Part {
  const { task, taskId } = open;
  if (task?.status === "queued" && !state.cancelling.has(taskId)) {
    return queuedRun(state, task.waiting, send);
  }
  if (task?.status !== "running" || state.cancelling.has(taskId)) {
    return undefined;
  }
  const isAsking = task.attention !== undefined;
  const silent = now - Math.max(task.progress.lastActivityAt, open.stream.newestTs);
  const facts = [
    isAsking ? CONVERSATION.asking : doing(task.progress, open.stream),
    ...totals(task, open.stream.conversation),
    ...(silent > SILENCE_MS && !isAsking ? [CONVERSATION.silent(duration(silent))] : []),
  ];
  return html`<p class="activity">
    ${icon(STATUS_ICON[isAsking ? "asking" : "running"])} <span>${facts.join(" · ")}</span>
  </p>`;
}

/**
 * Render why a queued run has not started, with a button to start it anyway. If only the limit keeps
 * it waiting, another button changes the limit.
 */
function queuedRun(state: State, waiting: Waiting | undefined, send: View["send"]): Part {
  const button = (action: "changeLimit" | "startNow"): Part =>
    linkButton(ACTIONS[action], () => {
      send({ type: "act", action });
    });
  return html`<p class="activity">
    ${icon(STATUS_ICON.queued)} <span>${queuedWords(state, waiting)}</span>
    ${waiting === undefined ? button("changeLimit") : undefined} ${button("startNow")}
  </p>`;
}

function queuedWords({ runs = [], limit }: State, waiting: Waiting | undefined): string {
  if (waiting !== undefined) {
    const why = errorWords(waiting.reason);
    if (waiting.reason === "clusterSlots") return CONVERSATION.heldByCluster(why);
    return waiting.until === undefined
      ? CONVERSATION.heldBehind(why)
      : CONVERSATION.held(why, clock(waiting.until));
  }
  const running = runs.filter(({ status }) => status === "running").length;
  return limit === undefined || limit < 0
    ? CONVERSATION.queued
    : CONVERSATION.queuedBehind(running, limit);
}

/** Events are newer than the progress, which only comes with a change of the run. */
function doing({ currentTool, retrying, awaitedServers }: Progress, stream: Stream): string {
  if (retrying !== undefined) {
    return retryWords(retrying);
  }
  if (awaitedServers !== undefined) {
    return startingWords(awaitedServers);
  }
  const name = hasAfter(stream) ? currentTool : openCall(stream.conversation)?.name;
  return name === undefined ? CONVERSATION.working : CONVERSATION.tool(plain(name));
}

function jump({ send }: View, open: OpenRun): Part {
  return open.reading === undefined
    ? undefined
    : html`<button
        type="button"
        class="jump"
        @click=${() => {
          send({ type: "jumpToEnd" });
        }}
      >
        ${icon("arrow-down")} ${CONVERSATION.latest}
      </button>`;
}

function rowOf({ state }: View, { task, taskId }: OpenRun): RunRow | undefined {
  const listed = state.runs?.find(({ id }) => id === taskId);
  return task === undefined
    ? listed
    : {
        ...task,
        ...(listed?.from && { from: listed.from }),
        goal: task.goalPrompt,
        ...(task.progress.retrying && { retrying: task.progress.retrying }),
        ...(task.progress.awaitedServers && { awaitedServers: task.progress.awaitedServers }),
        ...(task.attention && { asks: askedLine(task.attention, ASKS_CHARS) }),
      };
}
