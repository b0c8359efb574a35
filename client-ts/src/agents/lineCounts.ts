import type { Disposable } from "vscode-jsonrpc/node";

import type { StoredChanges } from "../panel/listMessages.js";
import type { Changes, TaskInfo } from "../protocol.js";
import { changesIn, readChangedFiles } from "../review/changedFiles.js";
import type { SubagentService } from "../service/service.js";
import { taskParams, type TaskRef } from "../taskRef.js";
import { Throttle } from "../util/coalesce.js";

/** The most requests at a time: the sidecar reads the whole task for each. */
const MOST_AT_ONCE = 2;
/** Larger tasks are not read for their row, in bytes: each megabyte takes about 0.07 s of CPU time. */
const MOST_BYTES = 10_000_000;
/** How often tasks that change are read again, in ms. */
const AGAIN_MS = 10_000;
/** How many answers are kept. */
const MOST_KEPT = 20_000;

type Post = (changes: readonly StoredChanges[]) => void;

interface Answer {
  /** The version of the task that was read. */
  readonly version: string;
  readonly changes: Changes | undefined;
}

/**
 * Reads how much the stored tasks in view changed, the smallest first, and posts it. What has left the
 * view is not asked for; what is being read then is kept, as the sidecar would not stop.
 */
export class LineCounts implements Disposable {
  readonly #service: Pick<SubagentService, "request">;
  readonly #tasksOf: (refs: readonly TaskRef[]) => readonly TaskInfo[];
  readonly #answers = new Map<string, Answer>();
  readonly #again = new Throttle(AGAIN_MS, () => {
    this.#ask((task) => this.#answers.get(keyOf(task))?.version !== versionOf(task));
  });
  readonly #asking = new Set<string>();
  #waiting: TaskInfo[] = [];
  #inView: readonly TaskRef[] = [];
  #post: Post | undefined;

  /** `tasksOf` returns those of the named tasks that are listed. */
  constructor(
    service: Pick<SubagentService, "request">,
    tasksOf: (refs: readonly TaskRef[]) => readonly TaskInfo[],
  ) {
    this.#service = service;
    this.#tasksOf = tasksOf;
  }

  /** Begin to post to a page that shows nothing yet. */
  show(post: Post): void {
    this.#post = post;
    this.#inView = [];
  }

  /** Stop posting until the next `show`. */
  hide(): void {
    this.#post = undefined;
    this.#inView = [];
    this.#waiting = [];
  }

  /** Post what is known of the tasks in view, and ask for the rest. */
  look(refs: readonly TaskRef[]): void {
    this.#inView = refs;
    const known = refs.flatMap(({ id, root = "" }) => {
      const answer = this.#answers.get(keyOf({ id, root }));
      return answer === undefined ? [] : [storedChanges({ id, root }, answer)];
    });
    if (known.length > 0) {
      this.#post?.(known);
    }
    this.update();
  }

  /** Ask for what is new in view, and for what changed if it was not asked for lately. */
  update(): void {
    if (this.#post !== undefined && this.#inView.length > 0) {
      this.#ask((task) => !this.#answers.has(keyOf(task)));
      this.#again.call();
    }
  }

  dispose(): void {
    this.hide();
    this.#again.dispose();
  }

  #ask(isWanted: (task: TaskInfo) => boolean): void {
    const tasks = this.#tasksOf(this.#inView).filter(
      (task) => task.sizeBytes <= MOST_BYTES && !this.#asking.has(keyOf(task)) && isWanted(task),
    );
    this.#waiting = tasks.toSorted((one, other) => one.sizeBytes - other.sizeBytes);
    this.#next();
  }

  #next(): void {
    while (this.#asking.size < MOST_AT_ONCE) {
      const task = this.#waiting.shift();
      if (task === undefined) {
        return;
      }
      void this.#read(task);
    }
  }

  async #read(task: TaskInfo): Promise<void> {
    const key = keyOf(task);
    this.#asking.add(key);
    try {
      const changes = changesIn(await readChangedFiles(this.#service, taskParams(task)));
      const answer = { version: versionOf(task), changes };
      this.#keep(key, answer);
      this.#post?.([storedChanges(task, answer)]);
    } catch {
      // The task is gone or the sidecar is not running: the row stays as it is until the list changes.
    } finally {
      this.#asking.delete(key);
    }
    this.#next();
  }

  #keep(key: string, answer: Answer): void {
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MOST_KEPT && oldest !== undefined) {
      this.#answers.delete(oldest);
    }
  }
}

function storedChanges(
  { id, root }: Pick<TaskInfo, "id" | "root">,
  { changes }: Answer,
): StoredChanges {
  return { id, root, ...(changes && { changes }) };
}

function keyOf({ id, root }: Pick<TaskInfo, "id" | "root">): string {
  return `${root}\0${id}`;
}

function versionOf({ lastActivity, sizeBytes }: TaskInfo): string {
  return `${lastActivity ?? ""} ${sizeBytes}`;
}
