/** The least time between two frames of a stream, in ms. */
const LEAST_MS = 50;

/**
 * Decides when to draw a stream: after a pause as long as the last drawing took. This leaves half
 * of the time for clicks and keys, however slow the machine is.
 */
export class Pace {
  #next = 0;
  #began = 0;
  #took = 0;

  /** The time until the next drawing, in ms. */
  get wait(): number {
    return Math.max(0, this.#next - performance.now());
  }

  /** How long the last drawing took, in ms. */
  get took(): number {
    return this.#took;
  }

  begin(): void {
    this.#began = performance.now();
  }

  end(): void {
    const now = performance.now();
    this.#took = now - this.#began;
    this.#next = now + Math.max(LEAST_MS, this.#took);
  }
}

/** How long a drawing may take, in ms: the browser then paints, in a frame of at most 50 ms. */
const DRAWING_MS = 20;
/** A lighter drawing does not show how fast the machine is. */
const LEAST_NOTED = 800;
/** The least that a frame draws, and in what steps that changes; see `weightOf`. */
const LEAST_PORTION = 2_000;
const STEP = 500;

/** Learns from each drawing what weight of a conversation a frame can draw on this machine. */
export class Portions {
  readonly #most: number;
  #msEach: number | undefined;

  /** Never return more than `most`. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Note how long it took to draw a weight. */
  note(weight: number, took: number): void {
    if (weight >= LEAST_NOTED) {
      const each = took / weight;
      this.#msEach = this.#msEach === undefined ? each : (this.#msEach + each) / 2;
    }
  }

  /** The weight for the next frame. */
  get weight(): number {
    const fits = this.#msEach === undefined ? Infinity : DRAWING_MS / this.#msEach;
    return Math.max(LEAST_PORTION, STEP * Math.floor(Math.min(fits, this.#most) / STEP));
  }
}
