import type { Unrendered } from "../view/markdown/remembering.js";

/** Texts up to this weight are rendered while they are drawn; see `weightOf`. */
const LIGHT = 2_000;
/** How long a task renders texts, in ms, unless a single one takes longer. */
const TASK_MS = 6;
/** How often a drawing waits for texts that arrived while others were rendered. */
const MOST_WAITS = 4;

/**
 * Renders the texts of a drawing in tasks of their own before it. The frame only puts them into their
 * places, and the browser handles input between the tasks.
 */
export class Ahead {
  readonly #ready: () => void;
  #task: ReturnType<typeof setTimeout> | undefined;
  #waits = 0;

  /** `ready` is called when everything is rendered. */
  constructor(ready: () => void) {
    this.#ready = ready;
  }

  /** Whether a drawing of these texts has to wait until they are rendered, which begins now. */
  delays(texts: readonly Unrendered[]): boolean {
    if (this.#task !== undefined) {
      return true;
    }
    const weight = texts.reduce((sum, text) => sum + text.weight, 0);
    if (weight <= LIGHT || this.#waits === MOST_WAITS) {
      return false;
    }
    this.#waits += 1;
    this.#render(texts);
    return true;
  }

  /** Start over, because everything is drawn now. */
  drawn(): void {
    clearTimeout(this.#task);
    this.#task = undefined;
    this.#waits = 0;
  }

  #render(texts: readonly Unrendered[]): void {
    this.#task = setTimeout(() => {
      this.#task = undefined;
      const end = performance.now() + TASK_MS;
      let done = 0;
      do {
        texts[done]?.render();
        done += 1;
      } while (done < texts.length && performance.now() < end);
      if (done < texts.length) {
        this.#render(texts.slice(done));
      } else {
        this.#ready();
      }
    });
  }
}
