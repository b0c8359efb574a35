import type { Block } from "./blocks.js";
import { elementsOf } from "./elements.js";
import type { Item, ToolItem } from "./items.js";
import type { TextTail } from "./textTail.js";

/** The least weight of an item: its frame takes time to draw, too. */
const LEAST_WEIGHT = 400;
/** A thought with more than this is shown as plain text: it is drawn as a whole whenever it grows. */
const MOST_CHARS = 10_000;
const MOST_ELEMENTS = 400;
/** The weight of a row of a diff, which is an element of its own. */
const ROW_WEIGHT = 60;
/** The weight of an element in a message, as that of ordinary Markdown with 16 characters for each. */
const ELEMENT_WEIGHT = 16;
/** Marks of Markdown that make an element in pairs, those that make one each, and those of code. */
const PAIRED = /\*/gu;
const SINGLE = /[|>\n]|\]\(/gu;
const CODE = /`/gu;
/** A box of code takes as long to draw as two and a half other elements, and has two marks. */
const CODE_MARK = 1.25;

const known = new WeakMap<Pick<Block, "text">, number>();

/** Estimate how expensive an item is to draw, in characters of ordinary Markdown. */
export function weightOf(item: Item | undefined): number {
  switch (item?.kind) {
    case "message":
      return Math.max(LEAST_WEIGHT, textWeight(item.block));
    case "sent":
      return Math.max(LEAST_WEIGHT, item.text.length);
    case "tool":
      return LEAST_WEIGHT + ROW_WEIGHT * rowsOf(item);
    case "thought":
      return Math.max(LEAST_WEIGHT, isFormatted(item.text) ? textWeight(item.text) : 0);
    default:
      return LEAST_WEIGHT;
  }
}

const formatted = new WeakMap<TextTail, boolean>();

/** Whether a thought is light enough to be shown as Markdown. */
export function isFormatted(thought: TextTail): boolean {
  const { text } = thought;
  const is =
    formatted.get(thought) ?? (text.length <= MOST_CHARS && elementsOf(text) <= MOST_ELEMENTS);
  formatted.set(thought, is);
  return is;
}

/** Return the weight of a text: more than its length if its marks make many small elements, such as cells. */
export function textWeight(part: Pick<Block, "text">): number {
  const weight = known.get(part) ?? Math.max(part.text.length, ELEMENT_WEIGHT * elementsIn(part));
  known.set(part, weight);
  return weight;
}

function elementsIn({ text }: Pick<Block, "text">): number {
  return countOf(text, PAIRED) / 2 + countOf(text, SINGLE) + CODE_MARK * countOf(text, CODE);
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function rowsOf({ diffs = [] }: ToolItem): number {
  return diffs.reduce((sum, { rows }) => sum + rows.length, 0);
}
