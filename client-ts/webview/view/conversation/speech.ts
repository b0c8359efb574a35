import { html } from "lit-html";
import { live } from "lit-html/directives/live.js";

import { deliveryWords } from "../../../src/text/speaking.js";
import { isLive } from "../../../src/text/outcome.js";
import { plain } from "../../text/format.js";
import type { OpenRun } from "../../model/openRun.js";
import { type Speech, speechTo, type Unsaid } from "../../model/speech.js";
import { CONVERSATION, MESSAGE } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import { linkButton } from "../common/linkButton.js";
import { refusal } from "../common/refusal.js";
import { submitOnEnter, textOf } from "../common/typing.js";
import type { Part, View } from "../common/view.js";

interface Words {
  readonly label: string;
  readonly hint: string;
  readonly button: string;
  readonly glyph: string;
  readonly submit: "sendMessage" | "resume";
}

const SEND: Words = {
  label: MESSAGE.sendLabel,
  hint: MESSAGE.sendHint,
  button: MESSAGE.send,
  glyph: "send",
  submit: "sendMessage",
};
const RESUME: Words = {
  label: MESSAGE.resumeLabel,
  hint: MESSAGE.resumeHint,
  button: MESSAGE.resume,
  glyph: "debug-continue",
  submit: "resume",
};

/** Render the form that sends a message to the agent, or resumes an ended run. */
export function speechBox(view: View, open: OpenRun): Part {
  const speech = speechTo(view.state.speeches, open.taskId);
  const words = wordsFor(view, open, speech);
  return words === undefined ? undefined : box(view, open.taskId, speech, words);
}

/** A draft survives the end of its run: it may be the message to resume with. */
function wordsFor({ state }: View, { task, taskId, takesMessages }: OpenRun, speech: Speech) {
  if (task === undefined || isLive(task)) {
    return takesMessages === true && !state.cancelling.has(taskId) ? SEND : undefined;
  }
  return speech.resume !== undefined || speech.text !== "" ? RESUME : undefined;
}

function box({ send }: View, taskId: string, speech: Speech, words: Words): Part {
  const submit = (): void => {
    send({ type: words.submit, taskId });
  };
  return html`<form
    class="composer speech"
    aria-label=${words.button}
    @submit=${(event: Event) => {
      event.preventDefault();
      submit();
    }}
  >
    ${problem(send, taskId, speech)}
    <div class="composer-box">
      <textarea
        id="words"
        rows="1"
        aria-label=${words.label}
        placeholder=${words.label}
        aria-describedby="speech-hint"
        aria-invalid=${speech.problem !== undefined}
        .value=${live(speech.text)}
        @input=${(event: InputEvent) => {
          send({ type: "writeMessage", taskId, text: textOf(event) });
        }}
        @keydown=${(event: KeyboardEvent) => {
          submitOnEnter(event, submit);
        }}
      ></textarea>
      <div class="composer-bar">
        ${words === RESUME ? discardButton(send, taskId) : undefined} ${submitButton(words, speech)}
      </div>
    </div>
    <p id="speech-hint" class="hint">${words.hint}</p>
  </form>`;
}

function submitButton({ button, glyph }: Words, { resume }: Speech): Part {
  const resuming = resume === "sending";
  return html`<button
    type="submit"
    class="primary"
    title=${MESSAGE.keys(button)}
    aria-disabled=${resuming}
  >
    ${icon(resuming ? "loading~spin" : glyph)} ${resuming ? MESSAGE.resuming : button}
  </button>`;
}

function discardButton(send: View["send"], taskId: string): Part {
  return html`<button
    type="button"
    class="secondary"
    @click=${() => {
      send({ type: "dropResume", taskId });
    }}
  >
    ${MESSAGE.discard}
  </button>`;
}

function problem(send: View["send"], taskId: string, speech: Speech): Part {
  const { problem: message } = speech;
  return message === undefined
    ? undefined
    : refusal(refusalOf(speech, message), send, () => {
        send({ type: "queueResume", taskId });
      });
}

function refusalOf({ canQueue = false, setting }: Speech, message: string) {
  return { message, canQueue, ...(setting === undefined ? {} : { setting }) };
}

/** Render the messages that are not delivered yet. */
export function unsaidMessages({ state, send }: View, { task, taskId }: OpenRun): Part {
  const { unsaid } = speechTo(state.speeches, taskId);
  const ended = task !== undefined && !isLive(task);
  return unsaid.length === 0
    ? undefined
    : html`<ol class="items unsaid" aria-label=${MESSAGE.undelivered}>
        ${unsaid.map(
          (each) =>
            html`<li class="sent">
              ${sentText(each.text)}
              <p class="hint">${ended ? icon("warning") : undefined} ${note(each, ended)}</p>
              ${ended ? undeliveredActions(send, taskId, each.text) : undefined}
            </li>`,
        )}
      </ol>`;
}

function undeliveredActions(send: View["send"], taskId: string, text: string): Part {
  return html`<div class="actions">
    ${linkButton(MESSAGE.sendAgain, () => {
      send({ type: "sendAgain", taskId, text });
    })}
    ${linkButton(MESSAGE.discard, () => {
      send({ type: "discard", taskId, text });
    })}
  </div>`;
}

function note({ delivery }: Unsaid, ended: boolean): string {
  if (ended) {
    return MESSAGE.missed;
  }
  return delivery === undefined ? MESSAGE.sending : deliveryWords(delivery);
}

/** Render a message from a person to an agent. */
export function sentText(text: string): Part {
  return html`<p dir="auto"><span class="sr-only">${CONVERSATION.you}</span>${plain(text)}</p>`;
}
