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
