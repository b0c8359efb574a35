/** How long a drawing may take, in ms: the browser then paints, in a frame of at most 50 ms. */
const DRAWING_MS = 18;
/** A lighter drawing shows only how long each takes, whatever it adds. */
const LEAST_NOTED = 800;
/** The least that a frame draws, and in what steps that changes; see `weightOf`. */
const LEAST_PORTION = 2_000;
const STEP = 500;

/** Learns from each drawing what weight of a conversation a frame can draw on this machine. */
export class Portions {
  readonly #most: number;
  /** How long a drawing takes that adds nothing, and by how much each weight adds to that, in ms. */
  #base = 0;
  #each: number | undefined;

  /** Never return more than `most`. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Note how long it took to draw a weight. */
  note(weight: number, took: number): void {
    if (weight < LEAST_NOTED) {
      this.#base = Math.min(DRAWING_MS / 2, (this.#base + took) / 2);
    } else {
      const each = Math.max(0, took - this.#base) / weight;
      this.#each = this.#each === undefined ? each : (this.#each + each) / 2;
    }
  }

  /** The weight for the next frame. */
  get weight(): number {
    const fits = this.#each === undefined ? Infinity : (DRAWING_MS - this.#base) / this.#each;
    return Math.max(LEAST_PORTION, STEP * Math.floor(Math.min(fits, this.#most) / STEP));
  }
}
