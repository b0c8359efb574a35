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
  #joined = false;
  readonly #onEvents: (events: TaskEvent[]) => void;

  constructor(afterSeq: number, onEvents: (events: TaskEvent[]) => void) {
    this.#last = afterSeq;
    this.#onEvents = onEvents;
  }

  get last(): number {
    return this.#last;
  }

  /** The subscription that was made for this follower is answered. */
  joined(): void {
    this.#joined = true;
  }

  take(events: readonly TaskEvent[]): void {
    const fresh = events.filter((event) => event.seq > this.#last);
    const newest = fresh.at(-1);
    if (newest !== undefined && !this.#isEarly(fresh)) {
      this.#last = newest.seq;
      this.#onEvents(fresh);
    }
  }

  /** An earlier subscription, still on its way, may be far ahead: its events come again, in order. */
  #isEarly([first]: readonly TaskEvent[]): boolean {
    return !this.#joined && (first?.seq ?? 0) > this.#last + 1;
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
    const followers = [...feed];
    const afterSeq = Math.min(...followers.map((follower) => follower.last));
    this.#source.subscribe(taskId, afterSeq).then(
      () => {
        for (const follower of followers) {
          follower.joined();
        }
      },
      (error: unknown) => {
        this.#source.failed(taskId, error);
      },
    );
  }

  #drop(taskId: string): void {
    this.#feeds.delete(taskId);
    this.#source.unsubscribe(taskId).catch((error: unknown) => {
      this.#source.failed(taskId, error);
    });
  }
}
