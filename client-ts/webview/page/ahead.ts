import type { Unrendered } from "../view/markdown/remembering.js";

/** Texts up to this weight are rendered while they are drawn; see `weightOf`. */
const LIGHT = 2_000;
/** How long a task renders texts, in ms, unless a single one takes longer. */
const TASK_MS = 10;

/**
 * Renders the texts of a drawing in tasks of their own before it. The frame only puts them into their
 * places, and the browser handles input between the tasks.
 */
export class Ahead {
  readonly #ready: () => void;
  #task: ReturnType<typeof setTimeout> | undefined;
  #isReady = false;

  /** `ready` is called when everything is rendered. */
  constructor(ready: () => void) {
    this.#ready = ready;
  }

  /**
   * Whether a drawing of these texts has to wait until they are rendered, which begins now. What arrives
   * meanwhile makes no drawing wait again.
   */
  delays(texts: readonly Unrendered[]): boolean {
    if (this.#task === undefined && !this.#isReady) {
      const weight = texts.reduce((sum, text) => sum + text.weight, 0);
      this.#isReady = weight <= LIGHT;
      if (!this.#isReady) {
        this.#render(texts);
      }
    }
    return !this.#isReady;
  }

  /** Begin anew, because everything is drawn now. */
  drawn(): void {
    clearTimeout(this.#task);
    this.#task = undefined;
    this.#isReady = false;
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
        this.#isReady = true;
        this.#ready();
      }
    });
  }
}
