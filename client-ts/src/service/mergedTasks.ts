import type { TaskInfo } from "../protocol.js";

/**
 * Return a list, newest activity first, with the tasks of some ids replaced by those `found`. What
 * comes after `end`, if any, is left out: it was not read yet.
 */
export function merged(
  items: readonly TaskInfo[],
  ids: ReadonlySet<string>,
  found: readonly TaskInfo[],
  end: TaskInfo | undefined,
): readonly TaskInfo[] {
  const stay = items.filter(({ id }) => !ids.has(id));
  const fresh = found
    .filter((task) => end === undefined || compared(task, end) <= 0)
    .toSorted(compared);
  const list: TaskInfo[] = [];
  let next = 0;
  for (const task of stay) {
    for (let each = fresh[next]; each && compared(each, task) < 0; each = fresh[next]) {
      list.push(each);
      next += 1;
    }
    list.push(task);
  }
  return [...list, ...fresh.slice(next)];
}

/** The order of the sidecar: unknown times last, ties by id, then root. */
function compared(one: TaskInfo, other: TaskInfo): number {
  const [a, b] = [one, other].map(({ lastActivity }) => lastActivity ?? -Infinity) as [
    number,
    number,
  ];
  return a === b
    ? compareText(one.id, other.id) || compareText(one.root, other.root)
    : b > a
      ? 1
      : -1;
}

function compareText(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
