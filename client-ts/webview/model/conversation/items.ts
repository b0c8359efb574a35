import type { ToolEvent, ToolLocation } from "../../../src/protocol.js";
import type { Block } from "./blocks.js";
import type { FileDiff } from "./diff.js";
import type { Inquiry } from "../questions/inquiry.js";
import type { Question } from "./question.js";
import type { TextTail } from "./textTail.js";

/** How much of the goal and of a sent message is shown, in characters. */
export const GOAL_CHARS = 20_000;
export const SENT_CHARS = 20_000;
/** How much of what a call is about is shown in its row, in characters. */
export const SUBJECT_CHARS = 120;

/** A message, or a part of a long one. */
export interface MessageItem {
  readonly kind: "message";
  /** The event with which it begins. */
  readonly seq: number;
  /**
   * Where it begins in the text of that event, in characters, if it continues a message. A negative
   * offset is in the text of an earlier event.
   */
  readonly offset?: number;
  readonly messageId: string;
  readonly ts: number;
  readonly block: Block;
}

/** A message from a client to the agent. */
export interface SentItem {
  readonly kind: "sent";
  readonly seq: number;
  readonly ts: number;
  readonly text: string;
}

/** Consecutive thoughts of the agent. */
export interface ThoughtItem {
  readonly kind: "thought";
  readonly seq: number;
  /** The id of the newest thought. */
  readonly messageId: string;
  readonly ts: number;
  readonly text: TextTail;
}

/** A file change made by a call; `seq` and `index` locate the full texts in an event. */
export interface ToolDiff extends FileDiff {
  readonly path: string;
  readonly seq: number;
  readonly index: number;
}

/** A tool call, unfinished without `endedAt`. Times in ms since the epoch. */
export interface ToolItem {
  readonly kind: "tool";
  readonly seq: number;
  readonly name: string;
  readonly status: ToolEvent["status"];
  readonly ts: number;
  readonly endedAt?: number;
  readonly title?: string;
  /** What the call is about according to its input, such as a command line. */
  readonly subject?: string;
  readonly input?: string;
  readonly output?: string;
  readonly places?: readonly ToolLocation[];
  readonly diffs?: readonly ToolDiff[];
  /** The newest question about this call. */
  readonly question?: Question;
  /** How long it waited for answers, in ms. */
  readonly waitedMs?: number;
}

/** A question that belongs to no known call. */
export interface QuestionItem {
  readonly kind: "question";
  readonly seq: number;
  readonly ts: number;
  readonly question: Question;
}

/** A question of the agent that a person answers with a form or by opening an address. */
export interface InquiryItem {
  readonly kind: "inquiry";
  readonly seq: number;
  readonly ts: number;
  readonly inquiry: Inquiry;
}

export type Item = MessageItem | SentItem | ThoughtItem | ToolItem | QuestionItem | InquiryItem;

/** Return a key that identifies an item while others are added and dropped. */
export function keyOf(item: Item): string {
  return `${item.seq}.${(item.kind === "message" ? item.offset : undefined) ?? 0}`;
}
