import type { ToolEvent, ToolLocation } from "../../src/protocol.js";
import type { Block } from "./blocks.js";
import type { FileDiff } from "./diff.js";
import type { Question } from "./question.js";
import type { TextTail } from "./textTail.js";

/** A message, or a part of a long one. */
export interface MessageItem {
  readonly kind: "message";
  /** The event that it begins with. */
  readonly seq: number;
  readonly messageId: string;
  readonly ts: number;
  readonly block: Block;
}

/** What a client said to the agent while it ran. */
export interface SentItem {
  readonly kind: "sent";
  readonly seq: number;
  readonly ts: number;
  readonly text: string;
}

/** What the agent thought until it said or did something. */
export interface ThoughtItem {
  readonly kind: "thought";
  readonly seq: number;
  /** The newest thought in it. */
  readonly messageId: string;
  readonly ts: number;
  readonly text: TextTail;
}

/** A change to a file that a call makes, and where its whole texts are: in a part of an event. */
export interface ToolDiff extends FileDiff {
  readonly path: string;
  readonly seq: number;
  readonly index: number;
}

/** A tool call; without an `endedAt` it is under way. Times in ms since the epoch. */
export interface ToolItem {
  readonly kind: "tool";
  readonly seq: number;
  readonly name: string;
  readonly status: ToolEvent["status"];
  readonly ts: number;
  readonly endedAt?: number;
  readonly title?: string;
  /** What it is about, such as a command line, if its input says so, and the whole input. */
  readonly subject?: string;
  readonly input?: string;
  readonly output?: string;
  readonly places?: readonly ToolLocation[];
  readonly diffs?: readonly ToolDiff[];
  /** The newest question about this call. */
  readonly question?: Question;
}

/** A question about no call that is known. */
export interface QuestionItem {
  readonly kind: "question";
  readonly seq: number;
  readonly ts: number;
  readonly question: Question;
}

export type Item = MessageItem | SentItem | ThoughtItem | ToolItem | QuestionItem;

/** No item is lighter than this, however short: its frame has a price too. */
const LEAST_WEIGHT = 400;
/** A row of a diff is an element of its own. */
const ROW_WEIGHT = 60;

/** How much it takes to show an item, in characters of plain text. */
export function weightOf(item: Item | undefined): number {
  switch (item?.kind) {
    case "message":
      return Math.max(LEAST_WEIGHT, item.block.text.length);
    case "sent":
      return Math.max(LEAST_WEIGHT, item.text.length);
    case "tool":
      return LEAST_WEIGHT + ROW_WEIGHT * rowsOf(item);
    default: // A thought is folded.
      return LEAST_WEIGHT;
  }
}

function rowsOf({ diffs = [] }: ToolItem): number {
  return diffs.reduce((sum, { rows }) => sum + rows.length, 0);
}
