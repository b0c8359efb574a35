import { review } from "../l10n/en/model.js";
import type { Side } from "../review/changeUri.js";

/** A comment of a reader on lines of a change, which count from 1. */
export interface Remark {
  readonly path: string;
  readonly side: Side;
  readonly first: number;
  readonly last: number;
  /** The lines that it is about. */
  readonly lines: readonly string[];
  readonly texts: readonly string[];
}

/** How many lines are quoted: the agent knows the file. */
const MOST_LINES = 6;

/**
 * Return comments as a message to the agent, in English like all that models read. The lines are quoted,
 * since an agent may report a part of a file, whose lines have other numbers.
 */
export function reviewText(remarks: readonly Remark[]): string {
  const all = remarks.toSorted(
    (one, other) => compare(one.path, other.path) || one.first - other.first,
  );
  return [review.heading, ...all.map(remarkText)].join("\n\n");
}

function remarkText({ path, side, first, last, lines, texts }: Remark): string {
  const left = lines.length - MOST_LINES;
  return [
    review.place(path, first, last, side === "before"),
    ...lines.slice(0, MOST_LINES).map((line) => `> ${line}`),
    ...(left > 0 ? [`> ${review.more(left)}`] : []),
    "",
    texts.join("\n\n"),
  ].join("\n");
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
