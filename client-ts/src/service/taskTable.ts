import type { AsyncTask } from "../protocol.js";

/** More than a person needs; older ones are in the task history. */
const MOST_TASKS = 500;

/** The async tasks that a window knows, newest launch first. */
export class TaskTable {
  #tasks = new Map<string, AsyncTask>();

  get tasks(): ReadonlyMap<string, AsyncTask> {
    return this.#tasks;
  }

  /** Take a whole list; returns the tasks that are new or differ. */
  replace(tasks: readonly AsyncTask[]): AsyncTask[] {
    const before = this.#tasks;
    this.#tasks = ordered(tasks);
    return tasks.filter((task) => !isSame(before.get(task.id), task));
  }

  /** Take one task's new state. */
  put(task: AsyncTask): void {
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
  const newestFirst = [...tasks].sort((a, b) => launchTime(b) - launchTime(a)).slice(0, MOST_TASKS);
  return new Map(newestFirst.map((task) => [task.id, task]));
}

/** Return the time of the launch; a queued task keeps its place when it starts. */
function launchTime(task: AsyncTask): number {
  return task.queuedAt ?? task.launchedAt ?? 0;
}

function isSame(before: AsyncTask | undefined, now: AsyncTask): boolean {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now);
}
