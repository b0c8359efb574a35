import type { AsyncTask } from "../../src/protocol.js";
import type { Conversation } from "./conversation.js";

/** The final message of a run, unless the reader has it before them as the last message. */
export function finalText(task: AsyncTask, conversation: Conversation): string | undefined {
  const told = task.output?.final_message ?? task.partial?.final_message ?? conversation.result;
  if (told === undefined || told.trim() === "") {
    return undefined;
  }
  return lastMessage(conversation).trimEnd().endsWith(told.trim()) ? undefined : told;
}

/** The variables of a run by name; those of the task stand in for events that are lost. */
export function variablesOf(
  task: AsyncTask | undefined,
  conversation: Conversation,
): ReadonlyMap<string, unknown> {
  const recorded = { ...task?.partial?.emitted_vars, ...task?.output?.emitted_vars };
  return new Map([...Object.entries(recorded), ...conversation.variables]);
}

function lastMessage({ items }: Conversation): string {
  const texts: string[] = [];
  let messageId: string | undefined;
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = items[at];
    if (item?.kind !== "message") {
      continue;
    }
    messageId ??= item.messageId;
    if (item.messageId !== messageId) {
      break;
    }
    texts.unshift(item.block.text);
  }
  return texts.join("");
}
