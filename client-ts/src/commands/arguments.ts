import type { SubagentService } from "../service/service.js";
import { taskParams, type TaskRef } from "../taskRef.js";
import { oneLine, unlinked } from "../text/words.js";
import * as strings from "../text/strings.js";

/** A stored task, and what a person calls it. */
export interface NamedTask extends TaskRef {
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

/** Return the stored task a command was called on: by its id alone, or by a row that has its root too. */
export function taskOf(target: unknown): TaskRef | undefined {
  const id = taskIdOf(target);
  return id === undefined ? undefined : { id, ...rootOf(target) };
}

/** Return the tasks a command was called on: by an id, or by a row and with it all that are selected. */
export function refsOf(target: unknown): TaskRef[] {
  const rows = selectionOf(target) ?? [target];
  return rows.flatMap((row) => taskOf(row) ?? []);
}

function rootOf(target: unknown): Pick<TaskRef, "root"> {
  return typeof target === "object" &&
    target !== null &&
    "root" in target &&
    typeof target.root === "string"
    ? { root: target.root }
    : {};
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
  const rows =
    selectionOf(target) ??
    (Array.isArray(selected) && selected.includes(target) ? selected : [target]);
  const tasks = rows.map((row: unknown) => {
    const task = taskOf(row);
    return isNamed(row) || task === undefined ? row : named(service, task);
  });
  return (await Promise.all(tasks)).filter(isNamed);
}

async function named(service: Pick<SubagentService, "request">, task: TaskRef): Promise<NamedTask> {
  return (await service.request("tasks/get", taskParams(task))).task;
}

/** Return the rows that the list names together with the one its menu was opened on. */
function selectionOf(target: unknown): readonly unknown[] | undefined {
  return typeof target === "object" &&
    target !== null &&
    "selection" in target &&
    Array.isArray(target.selection)
    ? target.selection
    : undefined;
}

function isNamed(row: unknown): row is NamedTask {
  return taskIdOf(row) !== undefined && typeof (row as NamedTask).title === "string";
}

/** Write a task's title for a message. */
export function quoted({ title }: NamedTask): string {
  return strings.common.quoted(unlinked(oneLine(title, TITLE_CHARS)) || strings.common.untitled);
}

/** Return the title of a single task, or else the number of tasks. */
export function nameOf(tasks: readonly NamedTask[]): string {
  const [only] = tasks;
  return only !== undefined && tasks.length === 1
    ? quoted(only)
    : strings.common.tasks(tasks.length);
}
