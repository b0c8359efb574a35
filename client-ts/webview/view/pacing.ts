/** The least time between two drawings of a stream, in ms. */
const LEAST_MS = 50;

/**
 * Says when to draw what streams in: after a pause as long as the last drawing took, so that half of
 * the time is left to a reader's clicks and keys, however slow the machine is.
 */
export class Pace {
  #next = 0;
  #began = 0;

  /** How long to wait before the next drawing, in ms. */
  get wait(): number {
    return Math.max(0, this.#next - performance.now());
  }

  begin(): void {
    this.#began = performance.now();
  }

  end(): void {
    const now = performance.now();
    this.#next = now + Math.max(LEAST_MS, now - this.#began);
  }
}
