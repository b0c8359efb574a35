import type { TaskEvent } from "../../protocol.js";
import { EventFacts } from "./eventFacts.js";
import { shortened, sizeOf } from "./eventSize.js";

/** How much the page receives at once, in characters: about as much as it renders in a frame. */
const BATCH_CHARS = 48_000;
const BATCH_EVENTS = 200;
/** If more than this is waiting, in characters, the page receives only the newest events. */
const MOST_BEHIND = 400_000;
const KEPT_BEHIND = 96_000;

/** Events for the page. */
export interface Batch {
  readonly events: readonly TaskEvent[];
  /** Plan, usage, variables and questions of skipped events; the page can request the rest. */
  readonly facts?: readonly TaskEvent[];
}

/**
 * Delivers the events of one run to a page as fast as it renders them: one batch at a time, the next
 * one when the page has `seen` the last.
 *
 * The queue is bounded however fast a run is: the page skips ahead to the newest events.
 */
export class EventFeed {
  readonly #post: (batch: Batch) => void;
  readonly #facts = new EventFacts();
  #waiting: { event: TaskEvent; size: number }[] = [];
  #size = 0;
  #skipped = false;
  #outstanding = false;

  constructor(post: (batch: Batch) => void) {
    this.#post = post;
  }

  /** Take events, in order. */
  take(events: readonly TaskEvent[]): void {
    for (const event of events.map(shortened)) {
      const size = sizeOf(event);
      this.#waiting.push({ event, size });
      this.#size += size;
    }
    if (this.#size > MOST_BEHIND) {
      this.#skip();
    }
    this.#pump();
  }

  /** The page has shown the last batch. */
  seen(): void {
    this.#outstanding = false;
    this.#pump();
  }

  #skip(): void {
    let count = 0;
    while (this.#size > KEPT_BEHIND && count < this.#waiting.length - 1) {
      const { event, size } = this.#waiting[count] ?? { size: 0 };
      if (event !== undefined) {
        this.#facts.take(event);
      }
      this.#size -= size;
      count += 1;
    }
    this.#waiting.splice(0, count);
    this.#skipped ||= count > 0;
  }

  #pump(): void {
    if (this.#outstanding || this.#waiting.length === 0) {
      return;
    }
    this.#outstanding = true;
    const facts = this.#skipped ? { facts: this.#facts.drain() } : {};
    this.#skipped = false;
    this.#post({ events: this.#next(), ...facts });
  }

  #next(): TaskEvent[] {
    let count = 0;
    let size = 0;
    for (const each of this.#waiting.slice(0, BATCH_EVENTS)) {
      if (count > 0 && size + each.size > BATCH_CHARS) {
        break;
      }
      size += each.size;
      count += 1;
    }
    this.#size -= size;
    return this.#waiting.splice(0, count).map(({ event }) => event);
  }
}
