/** Draws in animation frames, at most once in each. */
export class Frames {
  readonly #draw: () => void;
  #frame: number | undefined;
  #waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** Draw in the next frame after `wait` ms. The shorter wait wins: a stream never delays input. */
  soon(wait = 0): void {
    if (wait > 0) {
      this.#waiting ??= setTimeout(() => {
        this.#waiting = undefined;
        this.soon();
      }, wait);
      return;
    }
    this.#frame ??= requestAnimationFrame(this.#draw);
  }

  /** Forget what was to be drawn, because it is drawn now. */
  cancel(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    if (this.#frame !== undefined) {
      cancelAnimationFrame(this.#frame);
      this.#frame = undefined;
    }
  }
}
