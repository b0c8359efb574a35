import { lastOf } from "../../src/text/cutting.js";

/** The least time between two announcements, in ms, so that they do not interrupt each other. */
export const PAUSE_MS = 2_000;
const MAX_CHARS = 600;
/** At most this many texts are announced together, the latest. */
const MAX_TEXTS = 20;

/** Announces texts in a live region, together and not too often. */
export class Announcer {
  readonly #region: { textContent: string | null };
  #pending: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(region: { textContent: string | null }) {
    this.#region = region;
  }

  say(texts: readonly string[]): void {
    this.#pending.push(...texts.filter((text) => text !== ""));
    this.#pending = this.#pending.slice(-MAX_TEXTS);
    if (this.#pending.length > 0 && this.#timer === undefined) {
      this.#speak();
    }
  }

  #speak(): void {
    this.#region.textContent = lastOf(this.#pending.reduce(joined), MAX_CHARS);
    this.#pending = [];
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#pending.length > 0) {
        this.#speak();
      }
    }, PAUSE_MS);
  }
}

/** Join two texts with a period if the first one ends without punctuation. */
function joined(one: string, other: string): string {
  return `${one}${/[.!?:…]$/u.test(one) ? "" : "."} ${other}`;
}
