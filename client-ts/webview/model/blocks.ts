/** From here on a block ends at the next blank line, in characters. */
const SOFT_CHARS = 3_000;
/** A block never grows beyond this, whatever its text. */
export const HARD_CHARS = 8_000;

/** A part of a message that is rendered by itself, so that a long one costs what its end costs. */
export interface Block {
  readonly text: string;
  /** The line that opened the code fence in which this block begins. */
  readonly fence?: string;
}

/**
 * Append a piece to the last block of a message and split what grew too long.
 *
 * Joined, the texts of the blocks are the message, to the character. Cuts lie between paragraphs
 * where possible, else between lines, else anywhere but within a character.
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

/** The Markdown of a block that stands by itself. */
export function blockSource({ text, fence }: Block): string {
  return fence === undefined ? text : `${fence}\n${text}`;
}

function continuing(head: Block, text: string): Block {
  const fence = openFence(head);
  return fence === undefined ? { text } : { text, fence };
}

/** Where the text is to be cut; 0 if it may still grow. */
function cutOf({ text, fence }: Block): number {
  if (text.length <= SOFT_CHARS) {
    return 0;
  }
  const paragraph = text.indexOf("\n\n", SOFT_CHARS);
  if (paragraph > 0 && paragraph + 2 < text.length && paragraph < HARD_CHARS) {
    const head = text.slice(0, paragraph + 2);
    const block = fence === undefined ? { text: head } : { text: head, fence };
    if (openFence(block) === undefined) {
      return paragraph + 2;
    }
  }
  return text.length <= HARD_CHARS ? 0 : hardCut(text);
}

function hardCut(text: string): number {
  const line = text.lastIndexOf("\n", HARD_CHARS - 1);
  if (line >= SOFT_CHARS) {
    return line + 1;
  }
  return isHighSurrogate(text.charCodeAt(HARD_CHARS - 1)) ? HARD_CHARS - 1 : HARD_CHARS;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

/** The words behind a fence of backticks hold none: with them, it is code within a line. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/u;

/** The line that opened the fence in which a block ends, if it ends in one. */
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
