/** The least time between two saves, in ms: scrolling changes the state often. */
const SAVE_MS = 300;

/** Saves a state with the editor when it has changed. */
export class Saver {
  readonly #take: () => unknown;
  readonly #keep: (state: unknown) => void;
  #saved: string;
  #savedAt = -SAVE_MS;
  #saving: ReturnType<typeof setTimeout> | undefined;

  /** `take` returns the state to save, and `keep` saves it; `saved` is what was saved last. */
  constructor(saved: unknown, take: () => unknown, keep: (state: unknown) => void) {
    this.#saved = JSON.stringify(saved);
    this.#take = take;
    this.#keep = keep;
  }

  /** Save the state at once, or later if it was saved just now: a reload may follow. */
  soon(): void {
    const wait = Math.max(0, this.#savedAt + SAVE_MS - performance.now());
    this.#saving ??= setTimeout(() => {
      this.now();
    }, wait);
  }

  /** Save the state without waiting for further changes. */
  now(): void {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    this.#savedAt = performance.now();
    this.#save();
  }

  #save(): void {
    const state = this.#take();
    const text = JSON.stringify(state);
    if (text !== this.#saved) {
      this.#saved = text;
      this.#keep(state);
    }
  }
}
