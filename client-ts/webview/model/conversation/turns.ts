import type { Turn, TurnKind } from "../../../src/panel/turns/turnIndex.js";

/** The most marks in a minimap; with more turns, a mark stands for several. */
export const MOST_MARKS = 60;

/** A mark of the minimap, for turns from `first` on, `end` excluded. */
export interface TurnMark {
  readonly first: number;
  readonly end: number;
  readonly kind: TurnKind;
  /** The turn to which the mark leads: the first of its kind. */
  readonly to: number;
}

/** From what a reader passes by to what they look for. */
const RANK: readonly TurnKind[] = ["plain", "user", "failure", "question"];

/** Return the marks of a minimap, of equally many turns each. */
export function marksOf(turns: readonly Turn[]): TurnMark[] {
  const count = Math.min(turns.length, MOST_MARKS);
  return Array.from({ length: count }, (_, at) =>
    markOf(
      turns,
      Math.floor((at * turns.length) / count),
      Math.floor(((at + 1) * turns.length) / count),
    ),
  );
}

function markOf(turns: readonly Turn[], first: number, end: number): TurnMark {
  let to = first;
  for (let at = first + 1; at < end; at += 1) {
    if (rankOf(turns, at) > rankOf(turns, to)) {
      to = at;
    }
  }
  return { first, end, kind: turns[to]?.kind ?? "plain", to };
}

function rankOf(turns: readonly Turn[], at: number): number {
  return RANK.indexOf(turns[at]?.kind ?? "plain");
}

/** Return the turn in which an event is: the last one that begins at or before it, or the first. */
export function turnAt(turns: readonly Turn[], seq: number): number {
  let [low, high] = [0, turns.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((turns[middle]?.seq ?? Infinity) <= seq) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/** Return the nearest turn on a side with a question or a failure, or else undefined. */
export function nextNotable(turns: readonly Turn[], from: number, by: 1 | -1): number | undefined {
  for (let at = from + by; at >= 0 && at < turns.length; at += by) {
    const kind = turns[at]?.kind;
    if (kind === "question" || kind === "failure") {
      return at;
    }
  }
  return undefined;
}
