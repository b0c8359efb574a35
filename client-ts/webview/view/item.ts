import { html } from "lit-html";
import { guard } from "lit-html/directives/guard.js";

import { type Block, blockSource } from "../model/blocks.js";
import type { Item, ThoughtItem } from "../model/items.js";
import { cutText, plain } from "../model/format.js";
import { icon } from "./icon.js";
import { remembering, renderMarkdown } from "./markdown.js";
import { question } from "./question.js";
import { sentText } from "./speech.js";
import { tool } from "./tool.js";
import type { Part, View } from "./view.js";

/** How much of a message of a client is shown, in characters. */
const SENT_CHARS = 20_000;

/** What an item is drawn from, beside itself. */
export interface ItemContext {
  readonly taskId: string;
  /** Whether the run goes on: a call that never ended then is under way, a question is open. */
  readonly live: boolean;
  /** The folder the run works in. */
  readonly folder: string | undefined;
  readonly answering: ReadonlySet<string>;
  readonly send: View["send"];
}

const blockElement = remembering((block: Block) => renderMarkdown(blockSource(block)));

/** One item of a conversation; drawn again only when it or its context has changed. */
export function itemView(item: Item, context: ItemContext): Part {
  const { live, folder, answering } = context;
  return html`<li class=${item.kind} data-seq=${item.seq}>
    ${guard([item, live, folder, answering], () => body(item, context))}
  </li>`;
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
  }
}

function thought({ text: { text, cutChars } }: ThoughtItem): Part {
  const cut = cutChars > 0 ? "…" : "";
  return html`<details class="thinking">
    <summary>${icon("chevron-right")} Thought</summary>
    <p dir="auto">${cut}${plain(text.trim())}</p>
  </details>`;
}
