import { readFile } from "node:fs/promises";
import path from "node:path";

import { isAlive } from "./setup/fileLock.js";

/**
 * Whether the process that owns a storage root has given it up: its lock file then names nobody, or
 * a process that is gone. A file that cannot be read is locked, on Windows, and so in use.
 */
export async function isGivenUp(storageRoot: string): Promise<boolean> {
  try {
    const text = await readFile(path.join(storageRoot, "sidecar.lock"), "utf8");
    const pid = Number(text);
    return text === "" || (pid > 0 && !isAlive(pid));
  } catch {
    return false;
  }
}
