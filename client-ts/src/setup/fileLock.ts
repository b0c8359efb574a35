import { readFile, rm, stat, writeFile } from "node:fs/promises";

import { pause } from "../client/waiting.js";
import { isAlive } from "../util/alive.js";

const POLL_MS = 500;
/** Longer than any setup takes: the owner has ended, even if its process id is in use again. */
const STALE_MS = 15 * 60_000;

/** A lock file held by one window at a time; a lock whose owner has ended is replaced. */
export class FileLock {
  private constructor(private readonly path: string) {}

  /** Wait for the lock; `onWait` is called once if another window has it. Rejects when aborted. */
  static async acquire(path: string, signal: AbortSignal, onWait: () => void): Promise<FileLock> {
    for (let tries = 0; ; tries += 1) {
      signal.throwIfAborted();
      if (await create(path)) {
        return new FileLock(path);
      }
      if (await isAbandoned(path)) {
        await rm(path, { force: true });
        continue;
      }
      if (tries === 0) {
        onWait();
      }
      await pause(POLL_MS, signal);
    }
  }

  async release(): Promise<void> {
    await rm(this.path, { force: true });
  }
}

async function create(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      return false;
    }
    throw error;
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    const age = Date.now() - (await stat(path)).mtimeMs;
    const pid = Number(await readFile(path, "utf8"));
    return age > STALE_MS || (pid > 0 && !isAlive(pid));
  } catch {
    return false; // It was just released; the next try succeeds.
  }
}
