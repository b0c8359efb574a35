import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";

import { EventEmitter, type Disposable } from "vscode";

import { FileLock } from "../setup/fileLock.js";
import type { TaskRef } from "../taskRef.js";
import { type Mark, type Marks, markKey, marksText, readMarks, withChange } from "./marks.js";

const FILE = "marks.json";
const LOCK_MS = 10_000;

/** The marks of tasks, in one file of the extension that all windows share. */
export class MarkStore implements Disposable {
  readonly #file: string;
  readonly #changes = new EventEmitter<void>();
  #marks: Marks = new Map();

  /** Fires when marks changed, here or in another window. */
  readonly onDidChange = this.#changes.event;

  constructor(folder: string) {
    this.#file = path.join(folder, FILE);
  }

  get marks(): Marks {
    return this.#marks;
  }

  /** Return what is noted about a task. */
  of(task: TaskRef): Mark {
    return this.#marks.get(markKey(task)) ?? {};
  }

  /** Read the file, as when another window has written it. */
  async load(): Promise<void> {
    const marks = await this.#read();
    if (marksText(marks) !== marksText(this.#marks)) {
      this.#marks = marks;
      this.#changes.fire();
    }
  }

  /** Change the marks of some tasks. Rejects if the file cannot be written. */
  async change(tasks: readonly TaskRef[], change: (before: Mark) => Mark): Promise<void> {
    await mkdir(path.dirname(this.#file), { recursive: true });
    const signal = AbortSignal.timeout(LOCK_MS);
    const lock = await FileLock.acquire(`${this.#file}.lock`, signal, () => undefined);
    try {
      this.#marks = withChange(await this.#read(), tasks, change);
      const draft = `${this.#file}.${process.pid}`;
      await writeFile(draft, marksText(this.#marks), { mode: 0o600 });
      await rename(draft, this.#file);
    } finally {
      await lock.release();
    }
    this.#changes.fire();
  }

  dispose(): void {
    this.#changes.dispose();
  }

  async #read(): Promise<Marks> {
    try {
      return readMarks(await readFile(this.#file, "utf8"));
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") {
        return new Map();
      }
      throw error;
    }
  }
}
