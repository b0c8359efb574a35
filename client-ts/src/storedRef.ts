import type { TasksDidChange } from "./protocol.js";
import type { TaskRef } from "./taskRef.js";

const PREFIX = "stored:";

/** Return the id under which a page knows a stored task: two roots may hold the same one. */
export function pageIdOf({ id, root = "" }: TaskRef): string {
  return PREFIX + JSON.stringify([root, id]);
}

/** Return the stored task of a page's id; undefined for the id of a run. */
export function storedRef(pageId: string): TaskRef | undefined {
  if (!pageId.startsWith(PREFIX)) {
    return undefined;
  }
  try {
    const [root, id] = JSON.parse(pageId.slice(PREFIX.length)) as [unknown, unknown];
    return typeof root === "string" && typeof id === "string"
      ? { id, ...(root === "" ? {} : { root }) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a change may be one of this task; a change that names no task may be one of any. */
export function concerns({ added, changed, removed }: TasksDidChange, { id }: TaskRef): boolean {
  const ids = [...added, ...changed, ...removed];
  return ids.length === 0 || ids.includes(id);
}
