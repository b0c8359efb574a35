import { spawn } from "node:child_process";
import { once } from "node:events";

import { LineSplitter } from "../client/lines.js";

export interface ProgramOptions {
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly env?: NodeJS.ProcessEnv;
  /** Takes stdout and stderr as they come. */
  readonly onLine?: (line: string) => void;
}

/** How a program ended: `code` is null when it was killed, which running out of time does. */
export interface ProgramResult {
  readonly code: number | null;
  /** The last lines of stdout and stderr, in the order they came. */
  readonly output: string;
}

export type RunProgram = (
  program: string,
  args: readonly string[],
  options: ProgramOptions,
) => Promise<ProgramResult>;

/** Enough for any message worth showing; the log has the rest. */
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
      return { code: null, output: [...kept, `No end after ${options.timeoutMs} ms.`].join("\n") };
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
