import type { Disposable } from "./listeners.js";
import type { AsyncTaskDidOutput, TaskEvent } from "../protocol.js";

/** How a feed asks the sidecar; both may reject. */
export interface FeedSource {
  subscribe(taskId: string, afterSeq: number): Promise<unknown>;
  unsubscribe(taskId: string): Promise<unknown>;
  failed(taskId: string, error: unknown): void;
}

/** One who follows a run, and how far it has come. */
class Follower {
  #last: number;
  readonly #onEvents: (events: TaskEvent[]) => void;

  constructor(afterSeq: number, onEvents: (events: TaskEvent[]) => void) {
    this.#last = afterSeq;
    this.#onEvents = onEvents;
  }

  get last(): number {
    return this.#last;
  }

  take(events: readonly TaskEvent[]): void {
    const fresh = events.filter((event) => event.seq > this.#last);
    const newest = fresh.at(-1);
    if (newest !== undefined) {
      this.#last = newest.seq;
      this.#onEvents(fresh);
    }
  }
}

/**
 * The events of runs, handed to everyone who follows them.
 *
 * The sidecar keeps one subscription a task and replays from any `seq`: whoever joins late moves it
 * back to the slowest follower, and each one drops what it has had.
 */
export class Feeds {
  readonly #feeds = new Map<string, Set<Follower>>();
  readonly #source: FeedSource;

  constructor(source: FeedSource) {
    this.#source = source;
  }

  follow(taskId: string, afterSeq: number, onEvents: (events: TaskEvent[]) => void): Disposable {
    const follower = new Follower(afterSeq, onEvents);
    const feed = this.#feeds.get(taskId) ?? new Set();
    this.#feeds.set(taskId, feed.add(follower));
    this.#subscribe(taskId, feed);
    return {
      dispose: () => {
        if (feed.delete(follower) && feed.size === 0) {
          this.#drop(taskId);
        }
      },
    };
  }

  deliver({ taskId, events }: AsyncTaskDidOutput): void {
    for (const follower of [...(this.#feeds.get(taskId) ?? [])]) {
      try {
        follower.take(events);
      } catch (error) {
        this.#source.failed(taskId, error);
      }
    }
  }

  /** Subscribe anew to everything that is followed: a new sidecar knows of no subscription. */
  resubscribe(): void {
    for (const [taskId, feed] of this.#feeds) {
      this.#subscribe(taskId, feed);
    }
  }

  #subscribe(taskId: string, feed: ReadonlySet<Follower>): void {
    const afterSeq = Math.min(...[...feed].map((follower) => follower.last));
    this.#source.subscribe(taskId, afterSeq).catch((error: unknown) => {
      this.#source.failed(taskId, error);
    });
  }

  #drop(taskId: string): void {
    this.#feeds.delete(taskId);
    this.#source.unsubscribe(taskId).catch((error: unknown) => {
      this.#source.failed(taskId, error);
    });
  }
}
