/** Collects what comes close together, and hands it over as one. */
export class Burst<T> {
  readonly #ms: () => number;
  readonly #work: (items: readonly T[]) => void;
  #items: T[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `ms` returns how long to collect from an item on; it is called for the first one. */
  constructor(ms: () => number, work: (items: readonly T[]) => void) {
    this.#ms = ms;
    this.#work = work;
  }

  add(item: T): void {
    this.#items.push(item);
    this.#timer ??= setTimeout(() => {
      this.flush();
    }, this.#ms());
  }

  /** Hand over at once what was collected, if there is anything. */
  flush(): void {
    const items = this.#items;
    this.dispose();
    if (items.length > 0) {
      this.#work(items);
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#items = [];
  }
}
