/** How much of a log is kept, in characters. */
export const TAIL_CHARS = 64_000;

/** The end of a text that may be endless, and how much of its beginning is gone. */
export interface TextTail {
  readonly text: string;
  /** Line breaks seen, those of the part that is gone included. */
  readonly lines: number;
  readonly cutChars: number;
}

export const EMPTY_TAIL: TextTail = { text: "", lines: 0, cutChars: 0 };

/** Append text; the beginning goes, by whole lines where there are any, once it is too long. */
export function appendToTail(tail: TextTail, piece: string): TextTail {
  const text = tail.text + piece;
  const lines = tail.lines + piece.split("\n").length - 1;
  if (text.length <= TAIL_CHARS) {
    return { text, lines, cutChars: tail.cutChars };
  }
  const least = text.length - TAIL_CHARS;
  const lineEnd = text.indexOf("\n", least);
  const cut = lineEnd < 0 || lineEnd + 1 === text.length ? least : lineEnd + 1;
  return { text: text.slice(cut), lines, cutChars: tail.cutChars + cut };
}
