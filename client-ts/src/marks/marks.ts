import type { TaskRef } from "../taskRef.js";
import { oneLine } from "../text/words.js";

/** What a person notes about a task: nothing of it is written into the task itself. */
export interface Mark {
  /** What the task is called instead of its title. */
  readonly title?: string;
  readonly pinned?: true;
  /** Sorted, each once. */
  readonly tags?: readonly string[];
}

/** The marks of all tasks, by `markKey`. */
export type Marks = ReadonlyMap<string, Mark>;

const TITLE_CHARS = 160;
const TAG_CHARS = 40;
const MOST_TAGS = 20;

/** Return the key of a task's mark: two roots may hold the same id. */
export function markKey({ id, root = "" }: TaskRef): string {
  return JSON.stringify([root, id]);
}

/** Return the task of a key; undefined for anything else. */
export function taskOfKey(key: string): TaskRef | undefined {
  const value = parsed(key);
  const [root, id] = Array.isArray(value) ? (value as unknown[]) : [];
  return typeof root === "string" && typeof id === "string" ? { id, root } : undefined;
}

/** Return the marks with those of some tasks changed; a mark that says nothing is dropped. */
export function withChange(
  marks: Marks,
  tasks: readonly TaskRef[],
  change: (before: Mark) => Mark,
): Marks {
  const next = new Map(marks);
  for (const key of tasks.map(markKey)) {
    const mark = cleaned(change(next.get(key) ?? {}));
    if (Object.keys(mark).length === 0) {
      next.delete(key);
    } else {
      next.set(key, mark);
    }
  }
  return next;
}

/** Read the marks from the text of their file; what is not a mark is dropped. */
export function readMarks(text: string): Marks {
  const value = parsed(text);
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  const known = entries.filter(([key]) => taskOfKey(key) !== undefined);
  return new Map(
    known
      .map(([key, mark]) => [key, cleaned(mark)] as const)
      .filter(([, mark]) => Object.keys(mark).length > 0),
  );
}

/** Write the marks as the text of their file. */
export function marksText(marks: Marks): string {
  return `${JSON.stringify(Object.fromEntries(marks), undefined, 2)}\n`;
}

/** Read tags as a person types them: separated by commas or spaces, with or without `#`. */
export function readTags(text: string): readonly string[] {
  const words = text.split(/[\s,]+/u).map((word) => word.replace(/^#+/u, ""));
  return tagsOf(words.map((word) => word.replaceAll(/["()#:]/gu, "")));
}

/** Return the tags in use, in order. */
export function allTags(marks: Marks): readonly string[] {
  return [...new Set([...marks.values()].flatMap(({ tags = [] }) => tags))].sort(byName);
}

/** Return the tasks that are pinned. */
export function pinnedTasks(marks: Marks): readonly TaskRef[] {
  return [...marks].flatMap(([key, { pinned }]) =>
    pinned === true ? [taskOfKey(key)].filter((task) => task !== undefined) : [],
  );
}

function cleaned(value: unknown): Mark {
  const { title, pinned, tags } = (typeof value === "object" && value !== null ? value : {}) as {
    title?: unknown;
    pinned?: unknown;
    tags?: unknown;
  };
  const name = typeof title === "string" ? oneLine(title, TITLE_CHARS) : "";
  const words = Array.isArray(tags) ? tagsOf(tags) : [];
  return {
    ...(name === "" ? {} : { title: name }),
    ...(pinned === true ? { pinned } : {}),
    ...(words.length === 0 ? {} : { tags: words }),
  };
}

function tagsOf(words: readonly unknown[]): readonly string[] {
  const tags = words
    .filter((word) => typeof word === "string")
    .map((word) => oneLine(word, TAG_CHARS))
    .filter((word) => word !== "");
  return [...new Set(tags)].sort(byName).slice(0, MOST_TAGS);
}

function byName(one: string, other: string): number {
  return one.localeCompare(other);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
