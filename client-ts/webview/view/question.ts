import { html } from "lit-html";

import type { AttentionOption } from "../../src/protocol.js";
import { inOrder, kindOf } from "../../src/questions.js";
import { cutText, exact } from "../model/format.js";
import { answerWords, isAllowed, type Question } from "../model/question.js";
import { icon } from "./icon.js";
import type { ItemContext } from "./item.js";
import type { Part } from "./view.js";

const NAME_CHARS = 100;

/** A question with a button for each answer or, answered, with what became of it. */
export function question(asked: Question, context: ItemContext, command?: string): Part {
  if (asked.answer !== undefined) {
    return answered(asked);
  }
  return context.live ? open(asked, context, command) : undefined;
}

function open(asked: Question, context: ItemContext, command: string | undefined): Part {
  const id = `question-${asked.requestId}`;
  const sending = context.answering.has(asked.requestId);
  return html`<section
    class="ask"
    role="group"
    aria-labelledby=${id}
    data-question=${asked.requestId}
  >
    <p id=${id} class="ask-title">
      ${icon("bell-dot")} <span>May it go on? <bdi>${exact(asked.title)}</bdi></span>
    </p>
    ${
      command === undefined || command === asked.title
        ? undefined
        : html`<pre class="ask-command">${exact(command)}</pre>`
    }
    <div class="actions">
      ${inOrder(asked.options).map((option) => button(asked, option, sending, context))}
    </div>
  </section>`;
}

function button(
  { requestId }: Question,
  option: AttentionOption,
  sending: boolean,
  { send }: ItemContext,
): Part {
  const { optionId, name, kind } = option;
  const [glyph, means] = kindOf(option);
  const look = kind === "allow_once" ? "primary" : "secondary";
  return html`<button
    type="button"
    class="${look} answer-${kind.startsWith("allow") ? "allow" : "refuse"}"
    title=${means}
    aria-disabled=${sending}
    @click=${() => {
      send({ type: "answer", requestId, optionId });
    }}
  >
    ${icon(glyph)} <span>${exact(cutText(name, NAME_CHARS))}</span
    ><span class="sr-only"> (${means})</span>
  </button>`;
}

function answered(asked: Question): Part {
  const { answer = {} } = asked;
  const [glyph, state] = isAllowed(answer) ? ["check", "completed"] : ["circle-slash", "cancelled"];
  return html`<p class="answered">
    <span class="state state-${state}">${icon(glyph)}</span>
    <span>${exact(answerWords(asked))}</span>
  </p>`;
}
