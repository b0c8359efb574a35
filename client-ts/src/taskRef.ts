import type { GetParams } from "./protocol.js";

/** A stored task by its id and, where it is known, its root: several roots may hold the same id. */
export interface TaskRef {
  readonly id: string;
  readonly root?: string;
}

/** Return a task with its root: one without is stored by the sidecar, once that is known. */
export function inOwnRoot(
  task: TaskRef,
  service: { readonly info: { readonly storageRoot: string } | undefined },
): TaskRef {
  const root = task.root ?? service.info?.storageRoot;
  return root === undefined ? task : { id: task.id, root };
}

/** Name a task in the parameters of a request. */
export function taskParams({ id, root }: TaskRef): GetParams {
  return root === undefined ? { taskId: id } : { taskId: id, root };
}
