import { wholeFrom } from "../../../src/text/cutting.js";

/** How much of a log is kept, in characters. */
export const TAIL_CHARS = 64_000;

/** The end of a long text, and how much of its beginning was dropped. */
export interface TextTail {
  readonly text: string;
  /** The number of line breaks, including those of the dropped part. */
  readonly lines: number;
  readonly cutChars: number;
}

export const EMPTY_TAIL: TextTail = { text: "", lines: 0, cutChars: 0 };

/** Append text and drop the beginning when it is too long, by whole lines if possible. */
export function appendToTail(tail: TextTail, piece: string): TextTail {
  const text = tail.text + piece;
  const lines = tail.lines + piece.split("\n").length - 1;
  if (text.length <= TAIL_CHARS) {
    return { text, lines, cutChars: tail.cutChars };
  }
  const least = wholeFrom(text, text.length - TAIL_CHARS);
  const lineEnd = text.indexOf("\n", least);
  const cut = lineEnd < 0 || lineEnd + 1 === text.length ? least : lineEnd + 1;
  return { text: text.slice(cut), lines, cutChars: tail.cutChars + cut };
}
