import type { Block } from "./blocks.js";
import type { Item, ToolItem } from "./items.js";

/** The least weight of an item: its frame takes time to draw, too. */
const LEAST_WEIGHT = 400;
/** The weight of a row of a diff, which is an element of its own. */
const ROW_WEIGHT = 60;
/** The weight of an element in a message, as that of ordinary Markdown with 16 characters for each. */
const ELEMENT_WEIGHT = 16;
/** Marks of Markdown that make an element in pairs, and those that make one each. */
const PAIRED = /[*`]/gu;
const SINGLE = /[|>\n]|\]\(/gu;

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
  return countOf(text, PAIRED) / 2 + countOf(text, SINGLE);
}

/**
 * Return how many characters of a text make at most this many elements, and at least one, at most `most`.
 *
 * Pairs of marks count as in `weightOf`.
 */
export function charsOfElements(text: string, elements: number, most: number): number {
  let halves = 0;
  for (let at = 0; at < Math.min(text.length, most); at += 1) {
    halves += halvesAt(text, at);
    if (halves > 2 * elements) {
      return Math.max(1, at);
    }
  }
  return most;
}

/** Return the elements that the mark at this place of a text makes, in halves. */
function halvesAt(text: string, at: number): number {
  switch (text.charCodeAt(at)) {
    case 0x2a: // *
    case 0x60: // `
      return 1;
    case 0x7c: // |
    case 0x3e: // >
    case 0x0a: // line feed
      return 2;
    case 0x5d: // ], of a link before (
      return text.charCodeAt(at + 1) === 0x28 ? 2 : 0;
    default:
      return 0;
  }
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function rowsOf({ diffs = [] }: ToolItem): number {
  return diffs.reduce((sum, { rows }) => sum + rows.length, 0);
}
