import { html } from "lit-html";

import { fieldsOf, problemsOf } from "../../../src/questions/form.js";
import { draftOf, type Inquiry, replyWords } from "../../model/questions/inquiry.js";
import { exact, plain } from "../../text/format.js";
import { FORM } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import type { Part } from "../common/view.js";
import type { FormContext } from "./context.js";
import { fieldView } from "./fields.js";

/** Render a question as a form or an address or, once answered, its answer. */
export function inquiryView(inquiry: Inquiry, context: FormContext): Part {
  if (inquiry.reply !== undefined) {
    return replied(inquiry);
  }
  if (!context.live) {
    return undefined;
  }
  return inquiry.schema === undefined ? addressView(inquiry, context) : formView(inquiry, context);
}

function formView(inquiry: Inquiry, context: FormContext): Part {
  const { requestId, schema } = inquiry;
  if (schema === undefined) {
    return undefined;
  }
  const id = `inquiry-${requestId}`;
  const { entries, isChecked } = draftOf(context.forms, inquiry);
  const problems = isChecked ? problemsOf(schema, entries) : new Map<string, string>();
  const fields = fieldsOf(schema);
  const sending = context.answering.has(requestId);
  return html`<form
    class="ask form"
    novalidate
    aria-labelledby=${id}
    data-question=${requestId}
    @submit=${(event: Event) => {
      event.preventDefault();
      context.send({ type: "sendForm", inquiry });
    }}
  >
    ${heading(inquiry, id)}
    ${schema.description === undefined ? undefined : html`<p class="hint">${plain(schema.description)}</p>`}
    ${fields.map((field, at) =>
      fieldView(field, {
        id: `${id}-${at}`,
        entry: entries.get(field.name),
        problem: problems.get(field.name),
        fill: (entry) => {
          const { name } = field;
          context.send({
            type: "fillIn",
            inquiry,
            name,
            ...(entry === undefined ? {} : { entry }),
          });
        },
      }),
    )}
    <div class="actions">
      <button type="submit" class="primary" aria-disabled=${sending}>
        ${icon("send")} <span>${FORM.send}</span>
      </button>
      ${declineButton(inquiry, context, sending)}
    </div>
  </form>`;
}

function addressView(inquiry: Inquiry, context: FormContext): Part {
  const { requestId, url = "" } = inquiry;
  const id = `inquiry-${requestId}`;
  const sending = context.answering.has(requestId);
  return html`<section
    class="ask form"
    role="group"
    aria-labelledby=${id}
    data-question=${requestId}
  >
    ${heading(inquiry, id)}
    <pre class="ask-command"><code>${exact(url)}</code></pre>
    <p class="hint" data-unsearched>${FORM.addressHint}</p>
    <div class="actions">
      <button
        type="button"
        class="primary"
        aria-disabled=${sending}
        @click=${() => {
          context.send({ type: "sendForm", inquiry });
        }}
      >
        ${icon("link-external")} <span>${FORM.open}</span>
      </button>
      ${declineButton(inquiry, context, sending)}
    </div>
  </section>`;
}

function heading({ title, message }: Inquiry, id: string): Part {
  return html`<div id=${id} class="form-message" dir="auto">
    ${icon("comment-discussion")}
    <p>${plain(message ?? title)}</p>
  </div>`;
}

function declineButton(inquiry: Inquiry, { send }: FormContext, sending: boolean): Part {
  return html`<button
    type="button"
    class="secondary"
    aria-disabled=${sending}
    title=${FORM.declineHint}
    @click=${() => {
      send({ type: "refuseForm", inquiry });
    }}
  >
    ${icon("close")} <span>${FORM.decline}</span>
  </button>`;
}

function replied(inquiry: Inquiry): Part {
  const { text, values } = replyWords(inquiry);
  const isAccepted = inquiry.reply?.action === "accept";
  return html`<div class="form-reply">
    <p class="form-message" dir="auto">
      ${icon("comment-discussion")} <span>${plain(inquiry.message ?? inquiry.title)}</span>
    </p>
    <p class="answered">
      <span class="state state-${isAccepted ? "completed" : "cancelled"}"
        >${icon(isAccepted ? "check" : "circle-slash")}</span
      >
      <span>${plain(text)}</span>
    </p>
    ${
      values.length === 0
        ? undefined
        : html`<dl class="form-values">
            ${values.map(
              ([label, value]) =>
                html`<dt>${plain(label)}</dt>
                  <dd dir="auto">${plain(value)}</dd>`,
            )}
          </dl>`
    }
  </div>`;
}
