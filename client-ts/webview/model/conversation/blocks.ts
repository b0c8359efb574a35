import { wholeUntil } from "../../../src/text/cutting.js";
import { charsOfElements } from "./elements.js";
import { openTable, startsWithRow } from "./table.js";

/** A block longer than this part of its limit ends at its next blank line. */
const SOFT_PART = 0.6;
/** No block is longer than this, in characters. */
export const HARD_CHARS = 5_000;
/** No block has more elements than this, as far as its marks show; `openRun.ts` draws two in a frame. */
const MOST_ELEMENTS = 200;

/** A part of a message that is rendered on its own, so appending to a long message is cheap. */
export interface Block {
  readonly text: string;
  /** The line that opened the code fence inside which this block begins. */
  readonly fence?: string;
  /** The head of the table inside which this block begins, left out if its text is not a row. */
  readonly table?: string;
}

/**
 * Append a piece to the last block of a message and split blocks that are too long.
 *
 * The texts of the blocks add up to the message. Splits are between paragraphs if possible, else
 * between lines, and never inside a character.
 */
export function appendToBlock(last: Block, piece: string): Block[] {
  const blocks: Block[] = [];
  let rest: Block = { ...last, text: last.text + piece };
  for (let cut = cutOf(rest); cut > 0; cut = cutOf(rest)) {
    const head = { ...rest, text: rest.text.slice(0, cut) };
    blocks.push(head);
    rest = continuing(head, rest.text.slice(cut));
  }
  return [...blocks, rest];
}

/** Append a piece as `appendToBlock` does, with further cuts at these characters of the piece. */
export function appendWithCuts(last: Block, piece: string, cuts: readonly number[]): Block[] {
  const text = last.text + piece;
  const blocks: Block[] = [];
  let open: Block = { ...last, text: "" };
  let from = 0;
  for (const cut of [...cuts, piece.length]) {
    const end = last.text.length + cut;
    if (end > from) {
      blocks.push(...appendToBlock(open, text.slice(from, end)));
      open = continuing(blocks.at(-1) ?? open, "");
      from = end;
    }
  }
  return blocks;
}

/** Return the Markdown of a block, complete on its own. */
export function blockSource({ text, fence, table }: Block): string {
  if (table !== undefined && startsWithRow(text)) {
    return `${table}\n${text}`;
  }
  return fence === undefined ? text : `${fence}\n${text}`;
}

function continuing(head: Block, text: string): Block {
  const fence = openFence(head);
  if (fence !== undefined) {
    return { text, fence };
  }
  const table = openTable(blockSource(head));
  return table === undefined ? { text } : { text, table };
}

/** Return where to split the text; 0 if it may still grow. */
function cutOf({ text, fence }: Block): number {
  const hard = charsOfElements(text, MOST_ELEMENTS, HARD_CHARS);
  const soft = Math.floor(hard * SOFT_PART);
  if (text.length <= soft) {
    return 0;
  }
  const paragraph = text.indexOf("\n\n", soft);
  if (paragraph > 0 && paragraph + 2 < text.length && paragraph < hard) {
    const head = text.slice(0, paragraph + 2);
    const block = fence === undefined ? { text: head } : { text: head, fence };
    if (openFence(block) === undefined) {
      return paragraph + 2;
    }
  }
  return text.length <= hard ? 0 : hardCut(text, hard, soft);
}

/** Return the last place for a cut: after a line, else after a word, else after a character. */
function hardCut(text: string, hard: number, soft: number): number {
  for (const end of ["\n", " "]) {
    const at = text.lastIndexOf(end, hard - 1);
    if (at >= soft) {
      return at + 1;
    }
  }
  return wholeUntil(text, hard);
}

/** The text after a fence of backticks contains none: otherwise it is inline code. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/u;

/** Return the line that opened the fence inside which a block ends, if any. */
function openFence(block: Block): string | undefined {
  let open: { line: string; mark: string } | undefined;
  for (const line of blockSource(block).split("\n")) {
    const [, mark, rest] = FENCE.exec(line) ?? [];
    if (mark === undefined || rest === undefined) {
      continue;
    }
    if (open === undefined) {
      open = { line, mark };
    } else if (mark.startsWith(open.mark) && rest.trim() === "") {
      open = undefined;
    }
  }
  return open?.line;
}
