// Texts are cut here only, so that no emoji, flag or accented letter is split.
import { outcome } from "./outcomeStrings.js";

const SEGMENTER = new Intl.Segmenter();
/** How far around a cut characters are recognized: a longer one is split, and a text of 20 MB takes no longer. */
const AROUND = 256;

/** Return the beginning of a text: whole characters, together at most `most` UTF-16 units. */
export function firstOf(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, wholeUntil(text, most));
}

/** Return the end of a text: whole characters, together at most `most` UTF-16 units. */
export function lastOf(text: string, most: number): string {
  return text.length <= most ? text : text.slice(wholeFrom(text, text.length - most));
}

/** Cut a text to at most `most` UTF-16 units, and mark the cut. */
export function cutEnd(text: string, most: number): string {
  return text.length <= most ? text : `${firstOf(text, most - 1)}…`;
}

/** Cut a text in the middle, since its start and end may matter, and mark the cut. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) {
    return text;
  }
  const head = firstOf(text, Math.floor(limit / 3));
  const tail = lastOf(text, Math.ceil((limit * 2) / 3));
  const left = text.length - head.length - tail.length;
  return `${head}\n… (${outcome.omitted(left)}) …\n${tail}`;
}

/** Return the last place at or before `at` that is not inside of a character. */
export function wholeUntil(text: string, at: number): number {
  return characterAt(text, at)?.start ?? at;
}

/** Return the first place at or after `at` that is not inside of a character. */
export function wholeFrom(text: string, at: number): number {
  const character = characterAt(text, at);
  return character === undefined || character.start === at ? at : character.end;
}

/** Return the character at a place; undefined at the ends, and inside of one that is absurdly long. */
function characterAt(text: string, at: number): { start: number; end: number } | undefined {
  if (at <= 0 || at >= text.length) {
    return undefined;
  }
  const from = Math.max(0, at - AROUND);
  const near = text.slice(from, at + AROUND);
  const found = SEGMENTER.segment(near).containing(at - from);
  const start = from + (found?.index ?? 0);
  const end = start + (found?.segment.length ?? 0);
  const isWhole = (start > from || from === 0) && (end < from + near.length || end === text.length);
  if (found === undefined || !isWhole) {
    return isSurrogatePair(text, at) ? { start: at - 1, end: at + 1 } : undefined;
  }
  return { start, end };
}

function isSurrogatePair(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}
