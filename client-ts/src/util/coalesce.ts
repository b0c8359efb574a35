/**
 * Return a function that runs `work` one at a time: calls during a run share one further run. A
 * failure rejects the calls that share its run.
 */
export function coalesced<T>(work: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  let queued: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    queued = undefined;
    current = work().finally(() => {
      current = undefined;
    });
    return current;
  };
  return () => {
    if (current === undefined) {
      return begin();
    }
    queued ??= current.then(begin, begin);
    return queued;
  };
}

/** Calls `work` at once, then at most every `ms`; calls in between become one call at the end. */
export class Throttle {
  #timer: NodeJS.Timeout | undefined;
  #again = false;

  constructor(
    private readonly ms: number,
    private readonly work: () => void,
  ) {}

  call(): void {
    if (this.#timer === undefined) {
      this.#run();
    } else {
      this.#again = true;
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#again = false;
  }

  #run(): void {
    this.#again = false;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#again) {
        this.#run();
      }
    }, this.ms);
    this.work();
  }
}
