import type { ToolEvent, ToolLocation } from "../../src/protocol.js";
import type { Block } from "./blocks.js";
import type { FileDiff } from "./diff.js";
import type { Question } from "./question.js";
import type { TextTail } from "./textTail.js";

/** A message, or a part of a long one. */
export interface MessageItem {
  readonly kind: "message";
  readonly messageId: string;
  readonly ts: number;
  readonly block: Block;
}

/** What a client said to the agent while it ran. */
export interface SentItem {
  readonly kind: "sent";
  readonly ts: number;
  readonly text: string;
}

/** What the agent thought until it said or did something. */
export interface ThoughtItem {
  readonly kind: "thought";
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
  readonly ts: number;
  readonly question: Question;
}

export type Item = MessageItem | SentItem | ThoughtItem | ToolItem | QuestionItem;

/** How much text an item holds, in characters. */
export function charsOf(item: Item | undefined): number {
  switch (item?.kind) {
    case "message":
      return item.block.text.length;
    case "sent":
      return item.text.length;
    case "thought":
      return item.text.text.length;
    case "tool":
      return toolChars(item);
    default:
      return 0;
  }
}

function toolChars({ input = "", output = "", diffs = [] }: ToolItem): number {
  const rows = diffs.flatMap((diff) => diff.rows);
  return input.length + output.length + rows.reduce((sum, { text }) => sum + text.length, 0);
}
