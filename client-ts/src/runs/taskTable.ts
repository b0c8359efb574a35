import type { AsyncTask } from "../protocol.js";
import { newestRuns } from "./newestRuns.js";

/** The async tasks that a window knows, newest launch first: all live ones and the newest others. */
export class TaskTable {
  #tasks = new Map<string, AsyncTask>();
  /** The ids of what came since the read of the whole list began; undefined between two reads. */
  #read: Set<string> | undefined;

  get tasks(): ReadonlyMap<string, AsyncTask> {
    return this.#tasks;
  }

  /** Begin to read the whole list; what comes until `endRead` replaces what is there now. */
  beginRead(): ReadonlySet<string> {
    this.#read = new Set();
    return this.#read;
  }

  /** Take a page of the list; returns the tasks that are new or differ. */
  take(page: readonly AsyncTask[]): AsyncTask[] {
    const changed = page.filter((task) => !isSame(this.#tasks.get(task.id), task));
    page.forEach(({ id }) => this.#read?.add(id));
    if (changed.length > 0) {
      const others = new Map([...this.#tasks, ...changed.map((task) => [task.id, task] as const)]);
      this.#tasks = ordered([...others.values()]);
    }
    return changed.filter(({ id }) => this.#tasks.has(id));
  }

  /** Forget what the list no longer has, unless another read has begun meanwhile. */
  endRead(read: ReadonlySet<string>): void {
    if (read === this.#read) {
      this.#read = undefined;
      this.#tasks = new Map([...this.#tasks].filter(([id]) => read.has(id)));
    }
  }

  /** Take one task's new state. */
  put(task: AsyncTask): void {
    this.#read?.add(task.id);
    if (this.#tasks.has(task.id)) {
      this.#tasks.set(task.id, task);
    } else {
      this.#tasks = ordered([task, ...this.#tasks.values()]);
    }
  }

  /** Remove tasks; returns the ids of those that the table contained. */
  remove(ids: readonly string[]): string[] {
    return ids.filter((id) => this.#tasks.delete(id));
  }
}

function ordered(tasks: readonly AsyncTask[]): Map<string, AsyncTask> {
  const newestFirst = [...tasks].sort((a, b) => launchTime(b) - launchTime(a));
  return new Map(newestRuns(newestFirst).map((task) => [task.id, task]));
}

/** Return the time of the launch; a queued task keeps its place when it starts. */
function launchTime(task: AsyncTask): number {
  return task.queuedAt ?? task.launchedAt ?? 0;
}

function isSame(before: AsyncTask | undefined, now: AsyncTask): boolean {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now);
}
