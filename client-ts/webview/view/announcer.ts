/** The least time between two announcements, in ms: speech that is cut off helps nobody. */
export const PAUSE_MS = 2_000;
const MAX_CHARS = 600;
/** More texts than this are not read out together: what came last matters most. */
const MAX_TEXTS = 20;

/** Puts what is to be said into a live region, together and not too often. */
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
    // What came last matters most.
    this.#region.textContent = this.#pending.reduce(joined).slice(-MAX_CHARS);
    this.#pending = [];
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#pending.length > 0) {
        this.#speak();
      }
    }, PAUSE_MS);
  }
}

/** Put a full stop between two texts where there is none. */
function joined(one: string, other: string): string {
  return `${one}${/[.!?:…]$/u.test(one) ? "" : "."} ${other}`;
}
