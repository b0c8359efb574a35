import { withHiddenShown } from "../../src/text/unseen.js";
import { cutNote } from "./strings.js";

// Terminal colors and other control characters, but not tab and line feed.
const CONTROLS =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\r(?=\n)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu;

/** Remove control sequences that only a terminal understands. */
export function plain(text: string): string {
  return text.replace(CONTROLS, "");
}

/** Make every character of a text visible: hidden ones are shown as code points. */
export function exact(text: string): string {
  return withHiddenShown(plain(text));
}

/** Format a value as text of at most `limit` characters; see `cutText`. */
export function valueText(value: unknown, limit = 4_000): string {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return cutText(text, limit);
}

/** Truncate a text to `limit` characters and say how much is missing. */
export function cutText(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(0, limit) + cutNote(text.length - limit);
}
