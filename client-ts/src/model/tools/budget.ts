import { firstOf } from "../../text/cutting.js";

/** Counts the tokens of a text, as the model does. */
export type CountTokens = (text: string) => PromiseLike<number>;

const TRIES = 8;

/**
 * Return the text if it fits into a budget in tokens, else its beginning and what `note` says of the
 * number of omitted characters. At least the note is returned.
 */
export async function fit(
  text: string,
  budget: number,
  count: CountTokens,
  note: (left: number) => string,
): Promise<string> {
  let tokens = await count(text);
  let kept = text.length;
  let shown = text;
  for (let tries = 0; tokens > budget && kept > 0 && tries < TRIES; tries += 1) {
    // Tokens are about evenly long; a little less than the share avoids another try.
    kept = tries === TRIES - 1 ? 0 : Math.floor(kept * Math.min(0.9, (budget / tokens) * 0.95));
    shown = `${firstOf(text, kept)}\n\n${note(text.length - kept)}`;
    tokens = await count(shown);
  }
  return shown;
}
