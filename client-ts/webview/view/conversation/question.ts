import { html } from "lit-html";

import { type Answering, answersTo } from "../../../src/questions/answers.js";
import { questionHeading } from "../../../src/questions/questions.js";
import { exact } from "../../text/format.js";
import { ALONE, askedTexts, type Surroundings } from "../../model/shown/asked.js";
import { answerWords, isAllowed, type Question } from "../../model/conversation/question.js";
import { QUESTION } from "../../text/strings.js";
import { withCode } from "../common/code.js";
import { icon } from "../common/icon.js";
import { isMac } from "../common/platform.js";
import type { ItemContext } from "./context.js";
import type { Part } from "../common/view.js";

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
    tabindex="-1"
    aria-labelledby=${id}
    data-question=${asked.requestId}
  >
    <p id=${id} class="ask-title">${icon("bell-dot")} <span>${questionHeading(asked)}</span></p>
    ${subject(asked, context, around)}
    <div class="actions">
      ${answersTo(asked.options).map((answer) => button(asked, answer, sending, context))}
      <kbd class="ask-key" title=${QUESTION.keyHint} data-unsearched
        >${isMac() ? QUESTION.macKey : QUESTION.key}</kbd
      >
    </div>
  </section>`;
}

function subject(asked: Question, { folder }: ItemContext, around: Surroundings): Part {
  const { code, notes } = askedTexts(asked, folder, around);
  return html`${code.map((text) => html`<pre class="ask-command"><code>${text}</code></pre>`)}
  ${notes.map(([label, text]) => html`<p class="hint">${label} <bdi>${text}</bdi></p>`)}`;
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
