/** What a subscription returns; the shape VS Code disposes of. */
export interface Disposable {
  dispose(): void;
}

/** Calls whoever subscribed, in order; one that throws is reported and stops no other. */
export class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  readonly event = (listener: (value: T) => void): Disposable => {
    const own = (value: T): void => {
      listener(value);
    };
    this.#listeners.add(own);
    return { dispose: () => this.#listeners.delete(own) };
  };

  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
