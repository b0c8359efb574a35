import { html } from "lit-html";

import type { ToolLocation } from "../../../src/protocol.js";
import { duration } from "../../../src/l10n/format.js";
import { oneLine } from "../../../src/text/words.js";
import { plain } from "../../text/format.js";
import { SUBJECT_CHARS, type ToolItem } from "../../model/conversation/items.js";
import { pathInside } from "../../../src/text/places.js";
import { answerWords, isAllowed } from "../../model/conversation/question.js";
import { TOOL } from "../../text/strings.js";
import { diff } from "./diff.js";
import { icon } from "../common/icon.js";
import type { ItemContext } from "./context.js";
import { pathLink } from "./pathLink.js";
import { question, type Surroundings } from "./question.js";
import type { Part } from "../common/view.js";

const MAX_PLACES = 8;

/** Render a tool call with its status, and its folded input and output. */
export function tool(item: ToolItem, context: ItemContext): Part {
  const { input, output, diffs = [] } = item;
  const asked = item.question?.options.length === 0 ? undefined : item.question;
  const folded = [part(TOOL.input, input), part(TOOL.output, output)].filter(
    (each) => each !== undefined,
  );
  return html`${folded.length === 0 ? html`<div class="tool-row">${row(item, context)}</div>` : fold(item, context, folded)}
  ${places(item, context)} ${diffs.map((each) => diff(each, context))}
  ${asked && question(asked, context, surroundings(item, context))}`;
}

/** Return what a question about the call does not have to repeat. */
function surroundings(item: ToolItem, context: ItemContext): Surroundings {
  const { name, title = name, subject, input, diffs = [] } = item;
  const given = subject ?? input;
  const paths = [...diffs, ...otherPlaces(item, context).slice(0, MAX_PLACES)];
  return {
    title,
    paths: paths.map(({ path }) => path),
    ...(given === undefined ? {} : { input: given }),
  };
}

function fold(item: ToolItem, context: ItemContext, parts: Part[]): Part {
  return html`<details class="tool-fold">
    <summary class="tool-row">${row(item, context)} ${icon("chevron-right")}</summary>
    <div class="tool-parts">${parts}</div>
  </details>`;
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
} as const;

function row(item: ToolItem, context: ItemContext): Part {
  const [glyph, word, state] = WORDS[stateOf(item, context)];
  const { name, title = name, status, subject, ts, endedAt } = item;
  const took = endedAt === undefined || endedAt - ts < 1_000 ? undefined : duration(endedAt - ts);
  const isShown = subject === undefined || title.includes(subject) || isPlace(item, subject);
  return html`<span class="state state-${state}">${icon(glyph)}</span>
    <span class="tool-name" title=${plain(title)}><bdi>${plain(title)}</bdi></span>
    ${isShown ? undefined : html`<code class="tool-subject" title=${subject}>${plain(oneLine(subject, SUBJECT_CHARS))}</code>`}
    <span class=${status === "completed" ? "sr-only" : "tool-word"}>${word}</span>
    ${rule(item)} ${took === undefined ? undefined : html`<span class="tool-word">${took}</span>`}`;
}

/** A call without an end is shown as stopped once the run has ended. */
function stateOf({ status, question: asked }: ToolItem, { live }: ItemContext): keyof typeof WORDS {
  if (status !== "started") {
    return status;
  }
  if (!live) {
    return "stopped";
  }
  return asked !== undefined && asked.answer === undefined ? "asking" : "started";
}

/** Render the answer of a rule. */
function rule({ question: asked }: ToolItem): Part {
  if (asked?.answer === undefined || asked.options.length > 0) {
    return undefined;
  }
  const words = isAllowed(asked.answer) ? TOOL.allowed : TOOL.rejected;
  return html`<span class="tool-word" title=${answerWords(asked)}>${words}</span>`;
}

function isPlace({ places: touched = [], diffs = [] }: ToolItem, subject: string): boolean {
  return [...touched, ...diffs].some(
    ({ path }) => path === subject || path.endsWith(`/${subject}`),
  );
}

/** Render the files that a call touches, except those whose changes are shown. */
function places(item: ToolItem, context: ItemContext): Part {
  const others = otherPlaces(item, context);
  if (others.length === 0) {
    return undefined;
  }
  const left = others.length - MAX_PLACES;
  return html`<ul class="places">
    ${others.slice(0, MAX_PLACES).map((place) => html`<li>${pathLink(place, context)}</li>`)}
    ${left > 0 ? html`<li class="hint">${TOOL.more(left)}</li>` : undefined}
  </ul>`;
}

function otherPlaces(
  { places: touched = [], diffs = [] }: ToolItem,
  { folder }: ItemContext,
): ToolLocation[] {
  const shown = new Set(diffs.map(({ path }) => pathInside(path, folder) ?? path));
  return distinct(touched).filter(({ path }) => !shown.has(pathInside(path, folder) ?? path));
}

function distinct(touched: readonly ToolLocation[]): ToolLocation[] {
  return [
    ...new Map(touched.map((place) => [`${place.path}:${place.line ?? ""}`, place])).values(),
  ];
}
