/** The least time between two frames of a stream, in ms. */
const LEAST_MS = 50;

/**
 * Decides when to draw a stream: after a pause as long as the last drawing took. This leaves half
 * of the time for clicks and keys, however slow the machine is.
 */
export class Pace {
  #next = 0;
  #began = 0;

  /** The time until the next drawing, in ms. */
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
