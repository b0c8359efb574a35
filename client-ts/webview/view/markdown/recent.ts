/** Values that are remembered for some time, by texts. */
export class Recent<V> {
  readonly #forMs: number;
  readonly #added = new Map<string, { readonly value: V; readonly at: number }>();

  /** Forget each value after this time, in ms. */
  constructor(forMs: number) {
    this.#forMs = forMs;
  }

  /** Remember a value from now on. */
  add(text: string, value: V): void {
    for (const known of this.#added.keys()) {
      if (this.get(known) === undefined) {
        this.#added.delete(known);
      }
    }
    this.#added.set(text, { value, at: Date.now() });
  }

  /** Forget all values. */
  clear(): void {
    this.#added.clear();
  }

  /** Return the value that a text got recently. */
  get(text: string): V | undefined {
    const added = this.#added.get(text);
    return added !== undefined && Date.now() - added.at < this.#forMs ? added.value : undefined;
  }
}
