import { isRefusal } from "../util/errors.js";
import { ErrorCode } from "../protocol.js";

/** What the sidecar says of a query that it cannot read; `position` counts characters from 0. */
export interface QueryFault {
  readonly position: number;
  readonly expected: string;
}

/** Return what is wrong with the query that a request was refused for; undefined for other errors. */
export function queryFault(error: unknown): QueryFault | undefined {
  if (!isRefusal(error, ErrorCode.InvalidParams)) {
    return undefined;
  }
  const data = error.data as Partial<QueryFault> | null | undefined;
  return typeof data?.position === "number" && typeof data.expected === "string"
    ? { position: data.position, expected: data.expected }
    : undefined;
}

/** Say to a person what is wrong with a query and where. */
export function faultText({ position, expected }: QueryFault): string {
  return `At character ${position + 1}: expected ${expected}`;
}

/** Show the place of the fault in the query. */
export function faultMark(query: string, { position }: QueryFault): string {
  const points = Array.from(query); // The sidecar counts characters, not UTF-16 units.
  return `${points.slice(0, position).join("")}▸${points.slice(position).join("")}`;
}

/** What is looked for in messages: words, in the tasks that a query keeps. */
export interface MessageSearch {
  readonly text: string;
  readonly query?: string;
}

const FIELDS =
  "status|mode|product|workspace|model|parent|file|outcome|title|id|root|cost|tokens|messages|size|created|active|duration|since|until";
const VALUES = String.raw`(?:"[^"]*"?|[^\s(),"]+|,)*`;
const TERM = new RegExp(
  String.raw`(?<field>-?(?:${FIELDS})(?::|[<>]=?|=)${VALUES})|(?<phrase>"[^"]*"?)|(?<word>[^\s()]+)|[()]`,
  "giu",
);
const SHORTEST = 3;
/** A last word may still be growing; shorter ones begin too many words. */
const SHORTEST_BEGINNING = 3;

/**
 * Part a query into the words that are looked for in messages and the fields that say in which tasks.
 * Undefined where there are no such words, or where alternatives and negations have no counterpart.
 */
export function messageSearch(typed: string): MessageSearch | undefined {
  const fields: string[] = [];
  const words: string[] = [];
  for (const { 0: term, groups } of typed.matchAll(TERM)) {
    if (groups?.["field"] !== undefined) {
      fields.push(term);
    } else if (/^(?:OR|NOT|[()]|-[^-].*)$/u.test(term)) {
      return undefined;
    } else if (term !== "AND") {
      words.push(term);
    }
  }
  const last = words.at(-1);
  if (last === undefined || words.join("").replace(/[^\p{L}\p{N}]/gu, "").length < SHORTEST) {
    return undefined;
  }
  if (typed.endsWith(last) && isBeginning(last)) {
    words.push(`${words.pop() ?? ""}*`);
  }
  const text = words.join(" ");
  return fields.length === 0 ? { text } : { text, query: fields.join(" ") };
}

function isBeginning(word: string): boolean {
  return /^[\p{L}\p{N}_]+$/u.test(word) && word.length >= SHORTEST_BEGINNING;
}
