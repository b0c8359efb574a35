import type { AsyncTask } from "../protocol.js";

/** The minimum time between posts about a run that only progresses, in ms. */
const PAUSE_MS = 250;

/** Return what the page must show at once. */
function urgentOf({ status, attention }: AsyncTask): string {
  return JSON.stringify([status, attention?.requestId]);
}

/** Passes on changes of runs: a new status or question at once, progress at intervals. */
export class TaskFeed {
  readonly #post: (task: AsyncTask) => void;
  readonly #posted = new Map<string, string>();
  readonly #pending = new Map<string, AsyncTask>();
  #timer: NodeJS.Timeout | undefined;

  constructor(post: (task: AsyncTask) => void) {
    this.#post = post;
  }

  changed(task: AsyncTask): void {
    if (this.#timer === undefined || this.#posted.get(task.id) !== urgentOf(task)) {
      this.#pending.delete(task.id);
      this.#now(task);
    } else {
      this.#pending.set(task.id, task);
    }
  }

  /** Forget runs that were removed. */
  removed(ids: readonly string[]): void {
    for (const id of ids) {
      this.#pending.delete(id);
      this.#posted.delete(id);
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pending.clear();
    this.#posted.clear();
  }

  #now(task: AsyncTask): void {
    this.#posted.set(task.id, urgentOf(task));
    this.#timer ??= setTimeout(() => {
      this.#flush();
    }, PAUSE_MS);
    this.#post(task);
  }

  #flush(): void {
    const pending = [...this.#pending.values()];
    this.#timer = undefined;
    this.#pending.clear();
    for (const task of pending) {
      this.#now(task);
    }
  }
}
