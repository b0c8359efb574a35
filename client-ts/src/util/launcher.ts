import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";

/**
 * Return the path of the program that runs the sidecar in the current environment. Other programs can name
 * it: it stays the same when an update creates another environment.
 */
export function launcherIn(storage: string): string {
  const name = process.platform === "win32" ? "subagent-sidecar.cmd" : "subagent-sidecar";
  return path.join(storage, "bin", name);
}

/** Write the launcher for an environment's interpreter, unless it is there already. */
export async function writeLauncher(storage: string, python: string): Promise<string> {
  const file = launcherIn(storage);
  const text = launcherText(python, process.platform);
  if ((await readFile(file, "utf8").catch(() => undefined)) !== text) {
    await mkdir(path.dirname(file), { recursive: true });
    const draft = `${file}.${process.pid}`;
    await writeFile(draft, text);
    await chmod(draft, 0o755);
    await rename(draft, file); // Replaced as a whole, so that nobody runs half of it.
  }
  return file;
}

/** Return the text of the launcher: a shell script, or a batch file on Windows. */
export function launcherText(python: string, platform: NodeJS.Platform): string {
  return platform === "win32"
    ? `@"${python.replaceAll("%", "%%")}" -I -m sidecar %*\r\n`
    : `#!/bin/sh\nexec '${python.replaceAll("'", String.raw`'\''`)}' -I -m sidecar "$@"\n`;
}
