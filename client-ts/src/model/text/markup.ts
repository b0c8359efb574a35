import { withHiddenShown } from "../../text/unseen.js";
import { oneLine } from "../../text/words.js";

const NAME_CHARS = 80;

/** Return a name of a model's choice for a title or a line of progress. */
export function named(name: string): string {
  return oneLine(withHiddenShown(name), NAME_CHARS);
}

/** Put text into a code block that nothing in it can end. */
export function fenced(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}text\n${text}\n${fence}`;
}

/** Put text of one line into a code span that nothing in it can end. */
export function code(text: string): string {
  const run = longestRun(text);
  const [ticks, space] = run === 0 ? ["`", ""] : ["`".repeat(run + 1), " "];
  return `${ticks}${space}${text}${space}${ticks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
}
