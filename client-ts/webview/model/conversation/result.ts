import { cutMiddle } from "../../../src/text/cutting.js";
import type { AsyncTask } from "../../../src/protocol.js";
import type { Conversation } from "./conversation.js";
import type { Item } from "./items.js";
import { elementsOf } from "./elements.js";

/** How much of a final message is shown, in characters: one frame draws it. The transcript has all of it. */
const MAX_CHARS = 4_000;
/** The same for a message of many small parts, in elements. */
const MAX_ELEMENTS = 250;
/** Texts count as equal if their ends of this length are: either may be cut before. */
const COMPARED_CHARS = 2_000;

/** Return the final message of a run, unless it is the last message of the conversation. */
export function finalText(task: AsyncTask, conversation: Conversation): string | undefined {
  const text = task.output?.final_message ?? task.partial?.final_message ?? conversation.result;
  if (text === undefined || text.trim() === "") {
    return undefined;
  }
  const end = text.trim().slice(-COMPARED_CHARS);
  return lastMessage(conversation).trimEnd().endsWith(end) ? undefined : cutText(text);
}

/** Return where the last message of a conversation begins among its items; undefined unless it ends with one. */
export function lastMessageAt({ items }: Conversation): number | undefined {
  const last = items.at(-1);
  if (last?.kind !== "message") {
    return undefined;
  }
  let at = items.length - 1;
  for (let before = items[at - 1]; isPartOf(before, last.messageId); before = items[at - 1]) {
    at -= 1;
  }
  return at;
}

function isPartOf(item: Item | undefined, messageId: string | undefined): boolean {
  return item?.kind === "message" && item.messageId === messageId;
}

function cutText(text: string): string {
  const shown = cutMiddle(text, MAX_CHARS);
  const excess = elementsOf(shown) / MAX_ELEMENTS;
  return excess > 1 ? cutMiddle(text, Math.floor(shown.length / excess)) : shown;
}

/** Return the end of the last message, long enough to compare. */
function lastMessage({ items }: Conversation): string {
  const texts: string[] = [];
  let chars = 0;
  let messageId: string | undefined;
  for (let at = items.length - 1; at >= 0 && chars < COMPARED_CHARS; at -= 1) {
    const item = items[at];
    if (item?.kind !== "message") {
      continue;
    }
    messageId ??= item.messageId;
    if (item.messageId !== messageId) {
      break;
    }
    texts.unshift(item.block.text);
    chars += item.block.text.length;
  }
  return texts.join("");
}
