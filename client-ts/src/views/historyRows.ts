import type { TaskInfo } from "../protocol.js";

/**
 * A stored task's row: the same object while the task is listed. Redrawing the tree with other objects
 * would leave an open menu without a target.
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

/** The rows of the listed tasks, and which of them to redraw. */
export class TaskRows {
  #rows: readonly TaskRow[] = [];
  #appearances: readonly string[] = [];

  /** `appearance` returns the same text while a row does not change its appearance. */
  constructor(private readonly appearance: (task: TaskInfo) => string) {}

  get rows(): readonly TaskRow[] {
    return this.#rows;
  }

  /** Take the listed tasks; returns the rows that differ, or "all" if rows were added, removed or moved. */
  take(tasks: readonly TaskInfo[]): TaskRow[] | "all" {
    const before = this.#rows;
    const appearances = this.#appearances;
    this.#appearances = tasks.map(this.appearance);
    const known = new Map(before.map((row) => [keyOf(row.task), row]));
    this.#rows = tasks.map((task) => renewed(known.get(keyOf(task)), task));
    const isSame =
      before.length === tasks.length && this.#rows.every((row, at) => row === before[at]);
    return isSame ? this.#rows.filter((_, at) => this.#appearances[at] !== appearances[at]) : "all";
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
