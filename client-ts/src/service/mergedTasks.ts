import type { TaskInfo } from "../protocol.js";

/** What lists are sorted by whose order needs no rules of a language. */
export type NumericSort = "recent" | "cost" | "duration" | "messages";

const VALUES: Record<NumericSort, (task: TaskInfo) => number | null | undefined> = {
  recent: ({ lastActivity }) => lastActivity,
  cost: ({ tokenUsage }) => tokenUsage?.cost,
  duration: ({ duration }) => duration,
  messages: ({ messageCount }) => messageCount,
};

/**
 * Return a list, largest value first, with the tasks of some ids replaced by those `found`. What
 * comes after `end`, if any, is left out: it was not read yet.
 */
export function merged(
  items: readonly TaskInfo[],
  ids: ReadonlySet<string>,
  found: readonly TaskInfo[],
  end: TaskInfo | undefined,
  sort: NumericSort,
): readonly TaskInfo[] {
  const compared = order(VALUES[sort]);
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

/** Return tasks with those that equal a known one replaced by it, so that its row is the same. */
export function reusing(known: readonly TaskInfo[], read: readonly TaskInfo[]): TaskInfo[] {
  const before = new Map(known.map((task) => [keyOf(task), task]));
  return read.map((task) => {
    const same = before.get(keyOf(task));
    return same !== undefined && isEqual(same, task) ? same : task;
  });
}

/** The order of the sidecar: unknown values last, ties by id, then root. */
function order(valueOf: (task: TaskInfo) => number | null | undefined) {
  return (one: TaskInfo, other: TaskInfo): number => {
    const [a, b] = [valueOf(one) ?? -Infinity, valueOf(other) ?? -Infinity];
    return a === b
      ? compareText(one.id, other.id) || compareText(one.root, other.root)
      : b > a
        ? 1
        : -1;
  };
}

function compareText(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function keyOf({ root, id }: TaskInfo): string {
  return `${root}\0${id}`;
}

/** Whether two values of JSON are equal. */
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other || typeof one !== "object" || typeof other !== "object") {
    return one === other;
  }
  if (one === null || other === null) {
    return false;
  }
  const [members, others] = [Object.entries(one), new Map(Object.entries(other))];
  return (
    members.length === others.size &&
    members.every(([name, value]) => others.has(name) && isEqual(value, others.get(name)))
  );
}
