/** Collects what comes within `ms` of its first item, and hands it over as one. */
export class Burst<T> {
  readonly #ms: number;
  readonly #work: (items: readonly T[]) => void;
  #items: T[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, work: (items: readonly T[]) => void) {
    this.#ms = ms;
    this.#work = work;
  }

  add(item: T): void {
    this.#items.push(item);
    this.#timer ??= setTimeout(() => {
      this.#flush();
    }, this.#ms);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#items = [];
  }

  #flush(): void {
    const items = this.#items;
    this.#items = [];
    this.#timer = undefined;
    this.#work(items);
  }
}
