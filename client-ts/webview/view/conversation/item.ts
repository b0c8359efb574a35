import { html } from "lit-html";
import { guard } from "lit-html/directives/guard.js";

import { type Block, blockSource } from "../../model/conversation/blocks.js";
import { isFormatted } from "../../model/conversation/weight.js";
import type { TextTail } from "../../model/conversation/textTail.js";
import { type Item, keyOf, SENT_CHARS, type ThoughtItem } from "../../model/conversation/items.js";
import { cutText, plain } from "../../text/format.js";
import { CONVERSATION } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import { renderMarkdown } from "../markdown/markdown.js";
import { remembering } from "../markdown/remembering.js";
import type { ItemContext } from "./context.js";
import { inquiryView } from "../questions/inquiryView.js";
import { question } from "./question.js";
import { sentText } from "./speech.js";
import { tool } from "./tool.js";
import type { Part } from "../common/view.js";

const thoughtElement = remembering(({ text }: TextTail) => renderMarkdown(text.trim()));
const blockElement = remembering((block: Block) => renderMarkdown(blockSource(block)));

/**
 * Render an item of a conversation, by its number, only if it or its context changed; `isAnswer` if the final message
 * of an ended run begins with it.
 */
export function itemView(item: Item, at: number, context: ItemContext, isAnswer: boolean): Part {
  const { live, folder, answering } = context;
  const kind = isAnswer ? `${item.kind} answer` : item.kind;
  return html`<li class=${kind} data-seq=${item.seq} data-at=${at} data-item=${keyOf(item)}>
    ${guard([item, live, folder, answering, formOf(item, context)], () => body(item, context))}
  </li>`;
}

/** Return what renders the text of an item, unless there is none or it is rendered. */
export function unrenderedText(item: Item): (() => void) | undefined {
  if (item.kind === "message") {
    return blockElement.has(item.block) ? undefined : () => blockElement(item.block);
  }
  const isText = item.kind === "thought" && isFormatted(item.text);
  return isText && !thoughtElement.has(item.text) ? () => thoughtElement(item.text) : undefined;
}

function formOf(item: Item, { forms }: ItemContext): unknown {
  return item.kind === "inquiry" ? forms.get(item.inquiry.requestId) : undefined;
}

function body(item: Item, context: ItemContext): unknown {
  switch (item.kind) {
    case "message":
      return blockElement(item.block);
    case "sent":
      return sentText(cutText(item.text, SENT_CHARS));
    case "thought":
      return thought(item);
    case "tool":
      return tool(item, context);
    case "question":
      return question(item.question, context);
    case "inquiry":
      return inquiryView(item.inquiry, context);
  }
}

function thought({ text }: ThoughtItem): Part {
  return html`<details class="thinking">
    <summary>${icon("chevron-right")} ${CONVERSATION.thought}</summary>
    ${isFormatted(text) ? thoughtElement(text) : plainThought(text)}
  </details>`;
}

function plainThought({ text, cutChars }: TextTail): Part {
  const cut = cutChars > 0 ? "…" : "";
  return html`<p dir="auto">${cut}${plain(text.trim())}</p>`;
}
