import type { TaskEvent } from "../../protocol.js";
import { type TimedTurn, type Turn, TurnIndex } from "./turnIndex.js";

/** The minimum time between posts, in ms: a minimap need not follow each word. */
const PAUSE_MS = 250;

/** The turns of a run from one on; they replace those that the page has there. */
export interface TurnsFrom {
  readonly from: number;
  readonly turns: readonly Turn[];
}

/** Sends the turns of one run to a page, at intervals and only those that changed. */
export class TurnFeed {
  readonly taskId: string;
  readonly #index = new TurnIndex();
  readonly #post: (turns: TurnsFrom) => void;
  #from = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(taskId: string, post: (turns: TurnsFrom) => void) {
    this.taskId = taskId;
    this.#post = post;
  }

  /** The turns with their times. */
  get timed(): TimedTurn[] {
    return this.#index.timed;
  }

  /** Return the event that asked an open question; undefined if that did not arrive. */
  askedAt(requestId: string): number | undefined {
    return this.#index.askedAt(requestId);
  }

  /** Take events, in order; known ones are ignored. */
  take(events: readonly TaskEvent[]): void {
    const changed = this.#index.take(events);
    if (changed < this.#index.turns.length) {
      this.#from = Math.min(this.#from, changed);
      this.#timer ??= setTimeout(() => {
        this.#send();
      }, PAUSE_MS);
    }
  }

  /** Send all turns, to a page that has none. */
  sendAll(): void {
    this.#from = 0;
    this.#send();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #send(): void {
    this.dispose();
    const from = this.#from;
    const turns = this.#index.turns.slice(from);
    this.#from = this.#index.turns.length;
    if (turns.length > 0) {
      this.#post({ from, turns });
    }
  }
}
