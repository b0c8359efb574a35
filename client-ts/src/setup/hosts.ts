import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

import { pause } from "../client/waiting.js";
import { isAlive } from "../util/alive.js";
import { SetupError } from "./failures.js";
import type { RunProgram } from "./program.js";
import { SETUP } from "./strings.js";

/** The folder of an environment in which each Host that uses it keeps a file with its process id. */
const IN_USE = "in-use";
const STOP_MS = 20_000;
const POLL_MS = 100;

/** A running Host. */
export interface UsingHost {
  readonly pid: number;
  /** Its storage. */
  readonly root: string;
}

/** Return the Hosts that run in an environment; a Host that was killed may have left its file. */
export async function hostsIn(environment: string): Promise<UsingHost[]> {
  const folder = path.join(environment, IN_USE);
  const names = await readdir(folder).catch(() => []);
  const pids = names.map(Number).filter((pid) => pid > 0 && isAlive(pid));
  const hosts = pids.map(async (pid) => ({
    pid,
    root: await readFile(path.join(folder, String(pid)), "utf8").catch(() => ""),
  }));
  return (await Promise.all(hosts)).filter(({ root }) => root !== "");
}

/** Stop the Hosts that run in an environment, with their runs. Rejects with a SetupError. */
export async function stopHostsIn(
  environment: string,
  python: string,
  run: RunProgram,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const signal = AbortSignal.timeout(2 * STOP_MS);
  for (const { pid, root } of await hostsIn(environment)) {
    const stop = ["host", "stop", "--cancel-running", "--storage-root", root];
    const options = { cwd: environment, timeoutMs: STOP_MS, signal, env };
    const { code, output } = await run(python, ["-I", "-m", "sidecar", ...stop], options);
    if (code !== 0) {
      throw new SetupError(SETUP.hostNotStopped(output));
    }
    while (isAlive(pid)) {
      await pause(POLL_MS, signal);
    }
  }
}
