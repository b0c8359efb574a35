/** Texts that are remembered for some time. */
export class Recent {
  readonly #forMs: number;
  readonly #added = new Map<string, number>();

  /** Forget each text after this time, in ms. */
  constructor(forMs: number) {
    this.#forMs = forMs;
  }

  /** Remember a text from now on. */
  add(text: string): void {
    for (const known of this.#added.keys()) {
      if (!this.has(known)) {
        this.#added.delete(known);
      }
    }
    this.#added.set(text, Date.now());
  }

  /** Whether a text was added recently. */
  has(text: string): boolean {
    const added = this.#added.get(text);
    return added !== undefined && Date.now() - added < this.#forMs;
  }
}
