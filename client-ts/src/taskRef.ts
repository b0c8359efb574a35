import type { GetParams } from "./protocol.js";

/** A stored task by its id and, where it is known, its root: several roots may hold the same id. */
export interface TaskRef {
  readonly id: string;
  readonly root?: string;
}

/** Name a task in the parameters of a request. */
export function taskParams({ id, root }: TaskRef): GetParams {
  return root === undefined ? { taskId: id } : { taskId: id, root };
}
