import type { Disposable } from "vscode-jsonrpc/node";

import type { AsyncTaskDidOutput, TaskEvent } from "../protocol.js";

/** How feeds send requests to the sidecar; both may reject. */
export interface FeedSource {
  subscribe(taskId: string, afterSeq: number): Promise<unknown>;
  unsubscribe(taskId: string): Promise<unknown>;
  failed(taskId: string, error: unknown): void;
}

/** A follower of a run, and the last event it received. */
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

  /** The subscription for this follower has been answered. */
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

  /** Whether events belong to an earlier subscription that is further ahead: they come again, in order. */
  #isEarly([first]: readonly TaskEvent[]): boolean {
    return !this.#joined && (first?.seq ?? 0) > this.#last + 1;
  }
}

/**
 * Delivers the events of runs to all followers.
 *
 * The sidecar has one subscription per task and replays from any `seq`: a late follower moves it
 * back to the slowest one, and each follower drops events that it already received.
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

  /** Subscribe again to all followed runs: a new sidecar has no subscriptions. */
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
