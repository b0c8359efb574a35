import { html } from "lit-html";

import { type Answering, answersTo } from "../../../src/questions/answers.js";
import { questionHeading } from "../../../src/questions/questions.js";
import { exact } from "../../text/format.js";
import { answerWords, isAllowed, type Question } from "../../model/conversation/question.js";
import { QUESTION } from "../../text/strings.js";
import { withCode } from "../common/code.js";
import { icon } from "../common/icon.js";
import type { ItemContext } from "./context.js";
import type { Part } from "../common/view.js";

/** What the item around a question shows already, and the input of its call. */
export interface Surroundings {
  /** The files that are shown above the question. */
  readonly paths: readonly string[];
  /** The agent's title of the call, if it is shown above the question. */
  readonly title?: string;
  /** The input of the call, for questions without command, files and address. */
  readonly input?: string;
}

const ALONE: Surroundings = { paths: [] };

/** Render a question with a button for each answer or, once answered, the answer. */
export function question(asked: Question, context: ItemContext, around = ALONE): Part {
  if (asked.answer !== undefined) {
    return answered(asked);
  }
  return context.live ? open(asked, context, around) : undefined;
}

function open(asked: Question, context: ItemContext, around: Surroundings): Part {
  const id = `question-${asked.requestId}`;
  const sending = context.answering.has(asked.requestId);
  return html`<section
    class="ask"
    role="group"
    aria-labelledby=${id}
    data-question=${asked.requestId}
  >
    <p id=${id} class="ask-title">${icon("bell-dot")} <span>${questionHeading(asked)}</span></p>
    ${subject(asked, context, around)}
    <div class="actions">
      ${answersTo(asked.options).map((answer) => button(asked, answer, sending, context))}
    </div>
  </section>`;
}

/** Show everything that would be done: the agent's title may not match it. */
function subject(asked: Question, { folder }: ItemContext, around: Surroundings): Part {
  const { title, command, cwd = folder, url, paths = [] } = asked;
  const files = paths.filter((path) => !around.paths.includes(path)).join("\n");
  const parts = [command, url, files].filter(
    (part): part is string => part !== undefined && part !== "",
  );
  const isShown = parts.length > 0 || around.paths.length > 0;
  const shown = isShown ? parts : [around.input ?? title];
  const isTitled = title !== around.title && !shown.includes(title);
  return html`${shown.map((text) => html`<pre class="ask-command"><code>${exact(text)}</code></pre>`)}
  ${command === undefined || cwd === undefined ? undefined : html`<p class="hint">${QUESTION.folder} <bdi>${exact(cwd)}</bdi></p>`}
  ${isTitled ? html`<p class="hint">${QUESTION.title} <bdi>${exact(title)}</bdi></p>` : undefined}`;
}

function button(
  { requestId }: Question,
  { option, label, icon: glyph, allows }: Answering,
  sending: boolean,
  { send }: ItemContext,
): Part {
  const { optionId, name, kind } = option;
  return html`<button
    type="button"
    class="${kind === "allow_once" ? "primary" : "secondary"} answer-${allows ? "allow" : "refuse"}"
    title=${QUESTION.answer(exact(name))}
    aria-disabled=${sending}
    @click=${() => {
      send({ type: "answer", requestId, optionId });
    }}
  >
    ${icon(glyph)} <span>${withCode(exact(label))}</span>
  </button>`;
}

function answered(asked: Question): Part {
  const { answer = {} } = asked;
  const [glyph, state] = isAllowed(answer) ? ["check", "completed"] : ["circle-slash", "cancelled"];
  return html`<p class="answered">
    <span class="state state-${state}">${icon(glyph)}</span>
    <span>${withCode(exact(answerWords(asked)))}</span>
  </p>`;
}
