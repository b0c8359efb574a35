import { isRefusal } from "../util/errors.js";
import { ErrorCode } from "../protocol.js";
import * as strings from "./strings.js";

/** An error in a query; `position` counts characters from 0. */
export interface QueryError {
  readonly position: number;
  readonly expected: string;
}

/** Return the error in the query that a request was refused for; undefined for other errors. */
export function queryError(error: unknown): QueryError | undefined {
  if (!isRefusal(error, ErrorCode.InvalidParams)) {
    return undefined;
  }
  const data = error.data as Partial<QueryError> | null | undefined;
  return typeof data?.position === "number" && typeof data.expected === "string"
    ? { position: data.position, expected: data.expected }
    : undefined;
}

/** Describe the error in a query, and its place. */
export function queryErrorText({ position, expected }: QueryError): string {
  return strings.history.problem(position + 1, expected);
}

/** Return the query with a mark at the error. */
export function queryErrorMark(query: string, { position }: QueryError): string {
  const points = Array.from(query); // The sidecar counts characters, not UTF-16 units.
  return `${points.slice(0, position).join("")}▸${points.slice(position).join("")}`;
}

/** A search in messages: words, in the tasks that match a query. */
export interface MessageSearch {
  readonly text: string;
  readonly query?: string;
}

const FIELDS =
  "status|mode|product|workspace|model|parent|file|outcome|title|id|root|kept|cost|estimate|tokens|messages|size|created|active|duration|since|until";
const VALUES = String.raw`(?:"[^"]*"?|[^\s(),"]+|,)*`;
const TERM = new RegExp(
  String.raw`(?<field>-?(?:${FIELDS}|tag)(?::|[<>]=?|=)${VALUES})|(?<phrase>"[^"]*"?)|(?<word>[^\s()]+)|[()]`,
  "giu",
);
const SHORTEST = 3;
/** The user may still be typing the last word; too many words start with a shorter one. */
const SHORTEST_BEGINNING = 3;

/**
 * Split a query into words to search for in messages and fields that select tasks. Undefined if
 * there are no such words, or if the query has alternatives or negations, which messages lack.
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
