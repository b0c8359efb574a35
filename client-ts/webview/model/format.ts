import { counted } from "../../src/text/format.js";
import { withHiddenShown } from "../../src/questions/unseen.js";

// Terminal colours and other control characters, but not tab and line feed.
const CONTROLS =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\r(?=\n)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu;

/** Take out of a text what only a terminal understands. */
export function plain(text: string): string {
  return text.replace(CONTROLS, "");
}

/** Return a text of which a reader sees each character, hidden ones as their code points. */
export function exact(text: string): string {
  return withHiddenShown(plain(text));
}

/** Show a value as text, cut to a length in characters; a cut is said. */
export function valueText(value: unknown, limit = 4_000): string {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return cutText(text, limit);
}

/** Cut a text to a length in characters and say how much is missing. */
export function cutText(text: string, limit: number): string {
  return text.length <= limit
    ? text
    : `${text.slice(0, limit)}… (${counted(text.length - limit, "more character")})`;
}
