import { html } from "lit-html";

import { type Block, blockSource } from "../model/blocks.js";
import type { Item, ToolItem } from "../model/conversation.js";
import { duration, plain } from "../model/format.js";
import { icon } from "./icon.js";
import { remembering, renderMarkdown } from "./markdown.js";
import type { Part } from "./view.js";

const blockElement = remembering((block: Block) => renderMarkdown(blockSource(block)));

/** One item of a conversation; a call that never ended shows as stopped once the run is over. */
export function itemView(item: Item, at: number, live: boolean): Part {
  return item.kind === "message"
    ? html`<li class="message" data-item=${at}>${blockElement(item.block)}</li>`
    : html`<li class="tool" data-item=${at}>${toolRow(item, live)}</li>`;
}

const TOOL_WORDS = {
  started: ["loading~spin", "running", "running"],
  stopped: ["circle-slash", "did not finish", "cancelled"],
  completed: ["check", "done", "completed"],
  failed: ["error", "failed", "failed"],
} as const;

function toolRow({ name, status, ts, endedAt }: ToolItem, live: boolean): Part {
  const [glyph, word, state] = TOOL_WORDS[status === "started" && !live ? "stopped" : status];
  const took = endedAt === undefined || endedAt - ts < 1_000 ? undefined : duration(endedAt - ts);
  return html`<span class="state state-${state}">${icon(glyph)}</span>
    <span class="tool-name"><bdi>${plain(name)}</bdi></span>
    <span class=${status === "completed" ? "sr-only" : "tool-word"}>${word}</span>
    ${took === undefined ? undefined : html`<span class="tool-word">${took}</span>`}`;
}
