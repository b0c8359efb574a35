import { html } from "lit-html";

import { duration } from "../../../src/l10n/format.js";
import { isNotedError } from "../../../src/stored/notedError.js";
import { plain } from "../../text/format.js";
import type { ToolItem } from "../../model/conversation/items.js";
import { answerWords, isRejected } from "../../model/conversation/question.js";
import {
  askedOf,
  ruleWord,
  shownPlaces,
  shownSubject,
  surroundingsOf,
} from "../../model/shown/toolTexts.js";
import { TOOL } from "../../text/strings.js";
import { diff } from "./diff.js";
import { icon } from "../common/icon.js";
import type { ItemContext } from "./context.js";
import { pathLink } from "./pathLink.js";
import { question } from "./question.js";
import type { Part } from "../common/view.js";

/** Shorter times are not shown, in ms. */
const SHORTEST_MS = 1_000;

/** Render a tool call with its status, and its folded input and output. */
export function tool(item: ToolItem, context: ItemContext): Part {
  if (isNotedError(item)) {
    return notedError(item);
  }
  const { input, output, diffs = [] } = item;
  const asked = askedOf(item);
  const folded = [part(TOOL.input, input), part(TOOL.output, output)].filter(
    (each) => each !== undefined,
  );
  return html`${folded.length === 0 ? html`<div class="tool-row">${row(item, context)}</div>` : fold(item, context, folded)}
  ${places(item, context)} ${diffs.map((each) => diff(each, context))}
  ${asked && question(asked, context, surroundingsOf(item, context.folder))}`;
}

function fold(item: ToolItem, context: ItemContext, parts: Part[]): Part {
  return html`<details class="tool-fold">
    <summary class="tool-row">${row(item, context)} ${icon("chevron-right")}</summary>
    <div class="tool-parts">${parts}</div>
  </details>`;
}

function notedError({ output = "" }: ToolItem): Part {
  return html`<p class="noted-error" dir="auto" tabindex="0">
    ${icon("error")}
    <span class="sr-only" data-unsearched>${TOOL.error}</span>
    <span class="noted-text">${plain(output.trim())}</span>
  </p>`;
}

function part(name: string, text: string | undefined): Part {
  return text === undefined || text.trim() === ""
    ? undefined
    : html`<h4>${name}</h4>
        <pre tabindex="0" role="group" aria-label=${name}>${plain(text)}</pre>`;
}

const WORDS = {
  started: ["sync~spin", TOOL.running, "running"],
  asking: ["bell-dot", TOOL.asking, "asking"],
  stopped: ["circle-slash", TOOL.stopped, "cancelled"],
  completed: ["check", TOOL.done, "completed"],
  failed: ["error", TOOL.failed, "failed"],
  rejected: ["circle-slash", TOOL.rejected, "cancelled"],
} as const;

function row(item: ToolItem, context: ItemContext): Part {
  const kind = stateOf(item, context);
  const [glyph, word, state] = WORDS[kind];
  const isRuled = kind === "rejected" && ruleWord(item) !== undefined; // which says the same
  const { name, title = name, status } = item;
  const subject = shownSubject(item);
  return html`<span class="state state-${state}">${icon(glyph)}</span>
    <span class="tool-name" title=${plain(title)}><bdi>${plain(title)}</bdi></span>
    ${subject === undefined ? undefined : html`<code class="tool-subject" title=${item.subject ?? subject}>${subject}</code>`}
    ${isRuled ? undefined : html`<span class=${status === "completed" ? "sr-only" : "tool-word"}>${word}</span>`}
    ${rule(item)} ${took(item)}`;
}

/** Render how long a call worked; what it waited for an answer is in the tooltip. */
function took({ ts, endedAt = ts, waitedMs = 0 }: ToolItem): Part {
  const worked = endedAt - ts - waitedMs;
  const waited = waitedMs < SHORTEST_MS ? "" : TOOL.waited(duration(waitedMs));
  return worked < SHORTEST_MS
    ? undefined
    : html`<span class="tool-word" title=${waited}>${duration(worked)}</span>`;
}

/**
 * A call without an end is shown as stopped once the run has ended, and one that was not allowed as rejected: agents
 * report it as failed.
 */
function stateOf({ status, question: asked }: ToolItem, { live }: ItemContext): keyof typeof WORDS {
  if (status === "failed" && asked?.answer !== undefined && isRejected(asked.answer)) {
    return "rejected";
  }
  if (status !== "started") {
    return status;
  }
  if (!live) {
    return "stopped";
  }
  return asked !== undefined && asked.answer === undefined ? "asking" : "started";
}

/** Render the answer of a rule. */
function rule(item: ToolItem): Part {
  const words = ruleWord(item);
  return words === undefined || item.question === undefined
    ? undefined
    : html`<span class="tool-word tool-rule" title=${answerWords(item.question)}>${words}</span>`;
}

/** Render the files that a call touches, except those whose changes are shown. */
function places(item: ToolItem, context: ItemContext): Part {
  const { listed, left } = shownPlaces(item, context.folder);
  return listed.length === 0
    ? undefined
    : html`<ul class="places">
        ${listed.map((place) => html`<li>${pathLink(place, context)}</li>`)}
        ${left > 0 ? html`<li class="hint">${TOOL.more(left)}</li>` : undefined}
      </ul>`;
}
