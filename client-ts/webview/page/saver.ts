/** Delay before the state is saved, in ms: scrolling changes it often. */
const SAVE_MS = 300;

/** Saves a state with the editor when it has changed. */
export class Saver {
  readonly #take: () => unknown;
  readonly #keep: (state: unknown) => void;
  #saved: string;
  #saving: ReturnType<typeof setTimeout> | undefined;

  /** `take` returns the state to save, and `keep` saves it; `saved` is what was saved last. */
  constructor(saved: unknown, take: () => unknown, keep: (state: unknown) => void) {
    this.#saved = JSON.stringify(saved);
    this.#take = take;
    this.#keep = keep;
  }

  /** Save the state after a delay. */
  soon(): void {
    this.#saving ??= setTimeout(() => {
      this.#saving = undefined;
      this.#save();
    }, SAVE_MS);
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
