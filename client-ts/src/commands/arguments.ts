import type { SubagentService } from "../service.js";
import { oneLine, unlinked } from "../words.js";

/** A stored task, and what a person calls it. */
export interface NamedTask {
  readonly id: string;
  readonly title: string;
}

const TITLE_CHARS = 80;

/** Return the task a command was called on: by its id, or by the row of a tree. */
export function taskIdOf(target: unknown): string | undefined {
  if (typeof target === "string" && target !== "") {
    return target;
  }
  if (typeof target === "object" && target !== null && "id" in target) {
    return taskIdOf(target.id);
  }
  return undefined;
}

/**
 * Return the tasks a command was called on: by an id, or by the row of a tree and with it all that
 * are selected, if that row is. Rejects when there is no such task.
 */
export async function tasksOf(
  service: Pick<SubagentService, "request">,
  target: unknown,
  selected: unknown,
): Promise<NamedTask[]> {
  const rows = Array.isArray(selected) && selected.includes(target) ? selected : [target];
  const tasks = rows.map((row: unknown) => {
    const id = taskIdOf(row);
    return isNamed(row) || id === undefined ? row : taskWith(service, id);
  });
  return (await Promise.all(tasks)).filter(isNamed);
}

async function taskWith(
  service: Pick<SubagentService, "request">,
  taskId: string,
): Promise<NamedTask> {
  return (await service.request("tasks/get", { taskId })).task;
}

function isNamed(row: unknown): row is NamedTask {
  return taskIdOf(row) !== undefined && typeof (row as NamedTask).title === "string";
}

/** Write a task's title for a message. */
export function quoted({ title }: NamedTask): string {
  return `“${unlinked(oneLine(title, TITLE_CHARS)) || "(untitled)"}”`;
}

/** Name the one task there is, else say how many there are. */
export function nameOf(tasks: readonly NamedTask[]): string {
  const [only] = tasks;
  return only !== undefined && tasks.length === 1
    ? quoted(only)
    : `${tasks.length.toLocaleString()} tasks`;
}
