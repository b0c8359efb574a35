import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

import { type SeenProcess, withMarker } from "./processes.ts";
import type { Profile } from "./profile.ts";
import { until, within } from "./waiting.ts";

const MARKER = "SUBAGENT_VSCODE_TEST";
const LISTENING = /listening on (http:\/\/127\.0\.0\.1:\d+)/;
const STOP_MS = 10_000;

const SERVER = / -m sidecar serve\b/;
const SHARED = / -m sidecar host run\b/;
const AGENT = /\b(demo_)?agent\.py\b/;
const SIDECAR = new RegExp([SERVER, SHARED, AGENT].map(({ source }) => source).join("|"));

export interface HostOptions {
  /** Whether folders are trusted without a question; false leaves Workspace Trust as users have it. */
  readonly trustsAll: boolean;
  /** Whether the profile's workspace is opened; false opens a window without a folder. */
  readonly opensFolder: boolean;
}

/** A running code-server, in a process group of its own. */
export class Host {
  readonly url: string;
  readonly #pid: number;
  readonly #marker: string;
  readonly #output: string[];

  private constructor(url: string, pid: number, marker: string, output: string[]) {
    this.url = url;
    this.#pid = pid;
    this.#marker = marker;
    this.#output = output;
  }

  static async start(profile: Profile, options: HostOptions): Promise<Host> {
    const marker = randomUUID();
    const child = spawnServer(profile, options, marker);
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    const output: string[] = [];
    try {
      const url = await within("code-server's start", addressOf(child, output));
      return new Host(url, pid, `${MARKER}=${marker}`, output);
    } catch (error) {
      kill(-pid, "SIGKILL");
      throw error;
    }
  }

  /** What it wrote on its streams. */
  get output(): string {
    return this.#output.join("\n");
  }

  /** What connects its windows to the sidecar that they share, one for each window. */
  async servers(): Promise<SeenProcess[]> {
    return (await withMarker(this.#marker)).filter(({ command }) => SERVER.test(command));
  }

  /** The process id of the sidecar that all windows share, once no other runs. */
  async sidecar(): Promise<number> {
    const look = () => this.#shared();
    const [seen] = await until("one sidecar", look, (all) => all.length === 1);
    return seen?.pid ?? 0;
  }

  async #shared(): Promise<SeenProcess[]> {
    return (await withMarker(this.#marker)).filter(({ command }) => SHARED.test(command));
  }

  /** The running sidecars and all that they started. */
  async sidecars(): Promise<SeenProcess[]> {
    return (await withMarker(this.#marker)).filter(({ command }) => SIDECAR.test(command));
  }

  /** End the whole group: a signal to the parent alone leaves extension hosts and what they started. */
  async stop(): Promise<void> {
    kill(-this.#pid, "SIGTERM");
    for (const { pid } of await this.#shared()) {
      kill(pid, "SIGTERM"); // it would continue with its runs
    }
    const look = () => withMarker(this.#marker);
    try {
      await until("all processes of the host gone", look, (left) => left.length === 0, STOP_MS);
    } catch {
      for (const { pid } of await look()) {
        kill(pid, "SIGKILL");
      }
    }
  }
}

type Server = ChildProcessByStdio<null, Readable, Readable>;

function spawnServer(profile: Profile, options: HostOptions, marker: string): Server {
  const [program, ...arguments_] = profile.command;
  const flags = [
    ...["--auth", "none", "--bind-addr", "127.0.0.1:0"],
    ...["--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"],
    ...["--reconnection-grace-time", "5"], // else a closed page leaves its extension host for three hours
    ...(options.trustsAll ? ["--disable-workspace-trust"] : []),
    ...(options.opensFolder ? [profile.workspace] : []),
  ];
  return spawn(program, [...arguments_, ...flags], {
    detached: true,
    env: { ...profile.environment, [MARKER]: marker },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Keep what the server says, and find in it where it listens. */
function addressOf(server: Server, output: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const read = (line: string) => {
      output.push(line);
      const found = LISTENING.exec(line)?.[1];
      if (found !== undefined) {
        resolve(found);
      }
    };
    createInterface(server.stdout).on("line", read);
    createInterface(server.stderr).on("line", read);
    server.once("exit", () => {
      reject(new Error(`code-server ended:\n${output.join("\n")}`));
    });
  });
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it is gone already
  }
}
