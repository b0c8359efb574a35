import type { Block } from "./blocks.js";
import type { Item, ToolItem } from "./items.js";

/** The least weight of an item: its frame takes time to draw, too. */
const LEAST_WEIGHT = 400;
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

const known = new WeakMap<Block, number>();

/** Estimate how expensive an item is to draw, in characters of ordinary Markdown. */
export function weightOf(item: Item | undefined): number {
  switch (item?.kind) {
    case "message":
      return Math.max(LEAST_WEIGHT, blockWeight(item.block));
    case "sent":
      return Math.max(LEAST_WEIGHT, item.text.length);
    case "tool":
      return LEAST_WEIGHT + ROW_WEIGHT * rowsOf(item);
    default: // A thought is folded.
      return LEAST_WEIGHT;
  }
}

/** A text weighs more than its length where its marks make many small elements, such as cells. */
function blockWeight(block: Block): number {
  const weight =
    known.get(block) ?? Math.max(block.text.length, ELEMENT_WEIGHT * elementsIn(block));
  known.set(block, weight);
  return weight;
}

function elementsIn({ text }: Block): number {
  return countOf(text, PAIRED) / 2 + countOf(text, SINGLE) + CODE_MARK * countOf(text, CODE);
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function rowsOf({ diffs = [] }: ToolItem): number {
  return diffs.reduce((sum, { rows }) => sum + rows.length, 0);
}
