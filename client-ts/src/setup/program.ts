import { spawn } from "node:child_process";
import { once } from "node:events";

import { LineSplitter } from "../client/lines.js";
import { SETUP } from "./strings.js";

export interface ProgramOptions {
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly env?: NodeJS.ProcessEnv;
  /** Receives stdout and stderr while the program runs. */
  readonly onLine?: (line: string) => void;
}

/** How a program ended: `code` is null if it was killed, for example at the time limit. */
export interface ProgramResult {
  readonly code: number | null;
  /** The last lines of stdout and stderr, in order of arrival. */
  readonly output: string;
}

export type RunProgram = (
  program: string,
  args: readonly string[],
  options: ProgramOptions,
) => Promise<ProgramResult>;

/** Enough for messages to the user; the log has the rest. */
const KEPT_LINES = 200;

/** Run a program to its end. Rejects when it cannot be spawned, or with an AbortError. */
export const runProgram: RunProgram = async (program, args, options) => {
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    signal: AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]),
    killSignal: "SIGKILL",
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  const kept: string[] = [];
  const onLine = (line: string): void => {
    kept.push(line);
    kept.splice(0, kept.length - KEPT_LINES);
    options.onLine?.(line);
  };
  readLines(child.stdout, onLine);
  readLines(child.stderr, onLine);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return { code, output: kept.join("\n") };
  } catch (error) {
    if (isTimeout(error, options.signal)) {
      return {
        code: null,
        output: [...kept, SETUP.timedOut(options.timeoutMs / 1_000)].join("\n"),
      };
    }
    throw error;
  }
};

function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  const lines = new LineSplitter(onLine);
  stream.on("data", (chunk: Buffer) => {
    lines.push(chunk);
  });
  stream.on("end", () => {
    lines.end();
  });
}

function isTimeout(error: unknown, signal: AbortSignal): boolean {
  return error instanceof Error && error.name === "AbortError" && !signal.aborted;
}
