import type { TaskInfo } from "../protocol.js";

/**
 * A stored task's row: one object for as long as the task is listed. A tree that is drawn anew forgets
 * the objects it had, and a menu open on one of them would then act on none.
 */
export class TaskRow {
  constructor(public task: TaskInfo) {}

  get id(): string {
    return this.task.id;
  }

  get root(): string {
    return this.task.root;
  }

  get title(): string {
    return this.task.title;
  }
}

/** The rows of the listed tasks, and which of them have to be drawn again. */
export class TaskRows {
  #rows: readonly TaskRow[] = [];
  #looks: readonly string[] = [];

  /** `look` returns the same text for as long as a task's row looks the same. */
  constructor(private readonly look: (task: TaskInfo) => string) {}

  get rows(): readonly TaskRow[] {
    return this.#rows;
  }

  /** Take the tasks now listed; returns the rows that differ, or "all" if rows came, went or moved. */
  take(tasks: readonly TaskInfo[]): TaskRow[] | "all" {
    const before = this.#rows;
    const looks = this.#looks;
    this.#looks = tasks.map(this.look);
    const known = new Map(before.map((row) => [keyOf(row.task), row]));
    this.#rows = tasks.map((task) => renewed(known.get(keyOf(task)), task));
    const isSame =
      before.length === tasks.length && this.#rows.every((row, at) => row === before[at]);
    return isSame ? this.#rows.filter((_, at) => this.#looks[at] !== looks[at]) : "all";
  }
}

/** Two roots may hold the same task. */
export function keyOf({ root, id }: TaskInfo): string {
  return `${root}\n${id}`;
}

function renewed(row: TaskRow | undefined, task: TaskInfo): TaskRow {
  if (row === undefined) {
    return new TaskRow(task);
  }
  row.task = task;
  return row;
}
