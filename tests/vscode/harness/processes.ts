import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** A process as the system shows it. */
export interface SeenProcess {
  readonly pid: number;
  readonly command: string;
}

/**
 * Find the processes whose environment holds `NAME=value`, which children inherit: everything that a
 * host started, however deep, and nothing of anybody else's.
 */
export async function withMarker(marker: string): Promise<SeenProcess[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const seen = await Promise.all(pids.map((pid) => look(Number(pid), marker)));
  return seen.filter((process) => process !== undefined);
}

async function look(pid: number, marker: string): Promise<SeenProcess | undefined> {
  const folder = join("/proc", String(pid));
  try {
    const environment = (await readFile(join(folder, "environ"), "utf8")).split("\0");
    if (!environment.includes(marker)) {
      return undefined;
    }
    const command = (await readFile(join(folder, "cmdline"), "utf8")).replaceAll("\0", " ").trim();
    return command === "" ? undefined : { pid, command }; // a zombie has no command line
  } catch {
    return undefined; // it ended while we looked
  }
}
