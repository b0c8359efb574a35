import { type Marks, taskOfKey } from "./marks.js";

/** A term on a tag, outside of quotes, such as `tag:release` or `-tag:"to do"`. */
const TERM = /("[^"]*")|(?<![^\s(-])tag:("([^"]*)"|[^\s()]*)/giu;
/** Finds no task, because no id begins like this. */
const NONE = 'id:"\u{10FFFD}"';

/** Return a query in which terms on tags name the tasks that have them, which the sidecar knows. */
export function withoutTags(query: string, marks: Marks): string {
  return query.replaceAll(
    TERM,
    (whole, text: string | undefined, term: string | undefined, quoted: string | undefined) =>
      text ?? idsOf(quoted ?? term ?? whole, marks),
  );
}

function idsOf(term: string, marks: Marks): string {
  const wanted = term.toLocaleLowerCase().split(",");
  const ids = [...marks].flatMap(([key, { tags = [] }]) =>
    tags.some((tag) => wanted.includes(tag.toLocaleLowerCase())) ? [taskOfKey(key)?.id] : [],
  );
  const terms = ids.filter((id) => id?.includes('"') === false).map((id) => `id:"${id ?? ""}"`);
  return terms.length === 0 ? NONE : `(${terms.join(" OR ")})`;
}
