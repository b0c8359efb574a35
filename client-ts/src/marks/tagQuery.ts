import { type Marks, taskOfKey } from "./marks.js";

/** A term on a tag, outside of quotes, such as `tag:release` or `-tag:"to do"`. */
const TERM = /("[^"]*")|(?<![^\s(-])tag:("([^"]*)"|[^\s()]*)/giu;
/** Finds no task, because no id begins like this. */
const NONE = 'id:"\u{10FFFD}"';

/** Return a query in which terms on tags name the tasks that have them, which the sidecar knows. */
export function withoutTags(query: string, marks: Marks): string {
  return partsOf(query, marks)
    .map(({ sent }) => sent)
    .join("");
}

/** Return where in a query, in characters from 0, something is whose place the sidecar reported. */
export function placeInQuery(query: string, marks: Marks, position: number): number {
  let [place, left] = [0, position];
  for (const { typed, sent } of partsOf(query, marks)) {
    const [typedChars, sentChars] = [Array.from(typed).length, Array.from(sent).length];
    if (left < sentChars) {
      return place + (typed === sent ? left : 0);
    }
    place += typedChars;
    left -= sentChars;
  }
  return place + left;
}

/** Divide a query into terms on tags, with what is sent instead, and what is between them. */
function partsOf(query: string, marks: Marks): { typed: string; sent: string }[] {
  const parts: { typed: string; sent: string }[] = [];
  let end = 0;
  for (const { 0: typed, 1: text, 2: term = typed, 3: quoted = term, index } of query.matchAll(
    TERM,
  )) {
    const between = query.slice(end, index);
    parts.push({ typed: between, sent: between }, { typed, sent: text ?? idsOf(quoted, marks) });
    end = index + typed.length;
  }
  const rest = query.slice(end);
  return [...parts, { typed: rest, sent: rest }];
}

function idsOf(term: string, marks: Marks): string {
  const wanted = term.toLocaleLowerCase().split(",");
  const ids = [...marks].flatMap(([key, { tags = [] }]) =>
    tags.some((tag) => wanted.includes(tag.toLocaleLowerCase())) ? [taskOfKey(key)?.id] : [],
  );
  const terms = ids.filter((id) => id?.includes('"') === false).map((id) => `id:"${id ?? ""}"`);
  return terms.length === 0 ? NONE : `(${terms.join(" OR ")})`;
}
