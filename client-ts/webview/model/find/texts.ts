import type { AsyncTask } from "../../../src/protocol.js";
import { oneLine } from "../../../src/text/words.js";
import { cutText, exact, plain } from "../../text/format.js";
import { readableTexts } from "../../text/readable.js";
import { blockSource } from "../conversation/blocks.js";
import type { Conversation } from "../conversation/conversation.js";
import {
  type Item,
  GOAL_CHARS,
  keyOf,
  SENT_CHARS,
  SUBJECT_CHARS,
  type ToolItem,
} from "../conversation/items.js";
import type { Question } from "../conversation/question.js";
import { finalText } from "../conversation/result.js";
import { SEPARATOR } from "./occurrences.js";

/** The goal above the first item, and the result below the last one. */
export const GOAL = "goal";
export const RESULT = "result";

/** What a reader sees of one part of a conversation, such as an item. */
export interface PartText {
  /** The key of the item, GOAL or RESULT. */
  readonly key: string;
  /** The event with which it begins. */
  readonly seq: number;
  readonly text: string;
}

const known = new WeakMap<Item, PartText>();

/** Return the texts of a conversation, from the goal to the result. */
export function textsOf(task: AsyncTask | undefined, conversation: Conversation): PartText[] {
  const goal = task === undefined ? "" : plain(cutText(task.goalPrompt, GOAL_CHARS));
  const result = task === undefined ? undefined : finalText(task, conversation);
  return [
    { key: GOAL, seq: 0, text: goal },
    ...conversation.items.map(itemText),
    ...(result === undefined || task?.completedAt === undefined
      ? []
      : [{ key: RESULT, seq: Infinity, text: readableTexts(result).join(SEPARATOR) }]),
  ];
}

function itemText(item: Item): PartText {
  const text = known.get(item) ?? {
    key: keyOf(item),
    seq: item.seq,
    text: partsOf(item)
      .filter((part) => part !== undefined)
      .join(SEPARATOR),
  };
  known.set(item, text);
  return text;
}

function partsOf(item: Item): (string | undefined)[] {
  switch (item.kind) {
    case "message":
      return readableTexts(blockSource(item.block));
    case "sent":
      return [plain(cutText(item.text, SENT_CHARS))];
    case "thought":
      return [plain(item.text.text.trim())];
    case "tool":
      return toolParts(item);
    case "question":
      return questionParts(item.question);
    case "inquiry":
      return [item.inquiry.title, item.inquiry.message];
  }
}

function toolParts(item: ToolItem): (string | undefined)[] {
  const { name, title = name, subject, input, output, diffs = [], question } = item;
  return [
    plain(title),
    subject === undefined || title.includes(subject)
      ? undefined
      : plain(oneLine(subject, SUBJECT_CHARS)),
    ...[input, output].map((part) => part && plain(part)),
    ...diffs.flatMap(({ rows }) => rows.map(({ text }) => exact(text))),
    ...(question === undefined ? [] : questionParts(question)),
  ];
}

/** What was asked is shown until it is answered. */
function questionParts({ title, command, url, answer }: Question): (string | undefined)[] {
  return answer === undefined ? [title, command, url] : [];
}
