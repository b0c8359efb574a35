import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

import { messageOf, StartError } from "../util/errors.js";
import { LineSplitter } from "./lines.js";
import { settlesWithin } from "./waiting.js";
import * as strings from "../text/strings.js";

/** What to run. The environment is the client's own unless given whole. */
export interface SidecarCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** The time limit of each step of stopping, in ms. */
export interface StopLimits {
  /** Until the `shutdown` request is answered. */
  readonly shutdownMs: number;
  /** Until the sidecar exits by itself: it promises 3 s, in which it ends its runs. */
  readonly exitMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly terminateMs: number;
}

/** In total less than the 5 s or so that VS Code gives an extension to deactivate. */
export const DEFAULT_STOP_LIMITS: StopLimits = {
  shutdownMs: 1_000,
  exitMs: 3_200,
  terminateMs: 500,
};

/** How long output that was written before the exit may take to arrive, in ms. */
const DRAIN_MS = 250;
/** How long the system may take to reap a killed process, in ms. */
const REAP_MS = 2_000;

/** A running sidecar process: its streams, its exit, and the steps that stop it. */
export class SidecarProcess {
  /** Resolves with the end of a sentence, such as `exited with code 1: No module named sidecar`. */
  readonly exited: Promise<string>;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  #lastStderr = "";

  private constructor(
    child: ChildProcessByStdio<Writable, Readable, Readable>,
    onStderr: (line: string) => void,
  ) {
    this.#child = child;
    this.#readStderr(onStderr);
    this.exited = this.#watchExit();
  }

  /** Start the program; rejects with a StartError when that is impossible. */
  static async spawn(
    command: SidecarCommand,
    onStderr: (line: string) => void,
  ): Promise<SidecarProcess> {
    try {
      const child = spawnChild(command);
      const started = new SidecarProcess(child, onStderr);
      await once(child, "spawn");
      child.on("error", (error) => {
        onStderr(`sidecar process: ${error.message}`);
      });
      return started;
    } catch (error) {
      throw new StartError(explainSpawn(command, error));
    }
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get stdin(): Writable {
    return this.#child.stdin;
  }

  get stdout(): Readable {
    return this.#child.stdout;
  }

  /** Close stdin, which is an exit, and wait; then SIGTERM, then SIGKILL. Frees the pipes. */
  async end(limits: StopLimits): Promise<void> {
    this.#child.stdin.end();
    if (!(await settlesWithin(this.exited, limits.exitMs))) {
      this.#child.kill("SIGTERM");
      if (!(await settlesWithin(this.exited, limits.terminateMs))) {
        this.#child.kill("SIGKILL");
        await settlesWithin(this.exited, REAP_MS);
      }
    }
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  #readStderr(onStderr: (line: string) => void): void {
    const lines = new LineSplitter((line) => {
      this.#lastStderr = line.trim() === "" ? this.#lastStderr : line;
      onStderr(line);
    });
    this.#child.stderr.on("data", (chunk: Buffer) => {
      lines.push(chunk);
    });
    this.#child.stderr.on("end", () => {
      lines.end();
    });
  }

  #watchExit(): Promise<string> {
    const child = this.#child;
    return new Promise((resolve) => {
      const closed = new Promise((done) => child.once("close", done));
      child.once("exit", (code, signal) => {
        // The last output may still be in the pipes, which a grandchild can hold open.
        void settlesWithin(closed, DRAIN_MS).then(() => {
          resolve(this.#describeExit(code, signal));
        });
      });
    });
  }

  #describeExit(code: number | null, signal: NodeJS.Signals | null): string {
    const { exited, killed } = strings.sidecar;
    const how = signal === null ? exited(String(code ?? "?")) : killed(signal);
    return this.#lastStderr === "" ? how : `${how}: ${this.#lastStderr}`;
  }
}

function spawnChild(command: SidecarCommand): ChildProcessByStdio<Writable, Readable, Readable> {
  const child = spawn(command.program, command.args, {
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    ...(command.env === undefined ? {} : { env: command.env }),
  });
  // A write into a dead process is reported by the connection; without a listener it would throw.
  child.stdin.on("error", () => undefined);
  return child;
}

function explainSpawn(command: SidecarCommand, error: unknown): string {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") {
    return strings.sidecar.noProgram(command.program, command.cwd);
  }
  return strings.sidecar.noStart(command.program, messageOf(error));
}
