import type { AsyncTask } from "../protocol.js";

type Tasks = ReadonlyMap<string, AsyncTask>;

/** Return the runs that a run launched, or without one those whose parent is not known. */
export function childrenOf(tasks: Tasks, parent?: AsyncTask): AsyncTask[] {
  return [...tasks.values()].filter((task) => parentOf(tasks, task)?.id === parent?.id);
}

/** Return the run that launched a run, if it is known. */
export function parentOf(tasks: Tasks, task: AsyncTask): AsyncTask | undefined {
  return task.parentTaskId === undefined ? undefined : tasks.get(task.parentTaskId);
}
