import path from "node:path";

import { messageOf } from "../util/errors.js";
import { SetupError } from "./failures.js";
import type { ProgramOptions, ProgramResult, RunProgram } from "./program.js";
import { SETUP } from "./strings.js";

/** An interpreter that is new enough; `program` is absolute. */
export interface Python {
  readonly program: string;
  readonly version: string;
}

export interface PythonSources {
  /** The setting `subagentSidecar.pythonPath`, "" if unset. It overrides everything else. */
  readonly setting: string;
  /** The environment to search with; its PATH has no folder of a workspace, see `outsideOf`. */
  readonly environment: NodeJS.ProcessEnv;
}

const OLDEST = [3, 11] as const;
const PROBE_MS = 15_000;
const PROBE = "import sys; print(sys.executable); print('%d.%d.%d' % sys.version_info[:3])";

type Answer = { readonly python: Python } | { readonly problem: string; readonly tooOld?: string };

/** Find the interpreter for setup. Rejects with a SetupError that tells what was found instead. */
export async function findPython(
  sources: PythonSources,
  run: RunProgram,
  cwd: string,
  signal: AbortSignal,
): Promise<Python> {
  const options = { cwd, timeoutMs: PROBE_MS, signal, env: sources.environment };
  if (sources.setting !== "") {
    return fromSetting(await ask([sources.setting], run, options), sources.setting);
  }
  const tooOld: string[] = [];
  for (const command of namesOnPath(process.platform)) {
    const answer = await ask(command, run, options);
    if ("python" in answer) {
      return answer.python;
    }
    if (answer.tooOld !== undefined) {
      tooOld.push(`${answer.tooOld} (${command.join(" ")})`);
    }
  }
  throw SetupError.noPython([...new Set(tooOld)]);
}

/**
 * Return variables whose PATH has neither relative entries nor any in one of the folders.
 *
 * The environment serves all windows, so no workspace chooses the program that makes it.
 */
export function outsideOf(
  folders: readonly string[],
  variables: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const isOutside = (entry: string): boolean =>
    path.isAbsolute(entry) && !folders.some((folder) => isWithin(folder, entry));
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) =>
      name.toUpperCase() === "PATH"
        ? [name, value?.split(path.delimiter).filter(isOutside).join(path.delimiter)]
        : [name, value],
    ),
  );
}

function isWithin(folder: string, entry: string): boolean {
  const relative = path.relative(folder, entry);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** Return the names of Python on the PATH, the user's default first. */
export function namesOnPath(platform: NodeJS.Platform): (readonly [string, ...string[]])[] {
  const minors = [14, 13, 12, 11];
  return platform === "win32"
    ? [["py", "-3"], ["python"], ["python3"]]
    : [["python3"], ...minors.map((minor) => [`python3.${minor}`] as const), ["python"]];
}

function fromSetting(answer: Answer, setting: string): Python {
  if ("python" in answer) {
    return answer.python;
  }
  throw SetupError.badSetting(setting, answer.problem);
}

async function ask(
  command: readonly [string, ...string[]],
  run: RunProgram,
  options: ProgramOptions,
): Promise<Answer> {
  const [program, ...args] = command;
  try {
    // -I: no module may come from the environment or the current folder.
    return judge(await run(program, [...args, "-I", "-c", PROBE], options));
  } catch (error) {
    options.signal.throwIfAborted();
    return {
      problem: messageOf(error).includes("ENOENT") ? SETUP.noSuchFile : messageOf(error),
    };
  }
}

function judge({ code, output }: ProgramResult): Answer {
  const [program, version] = output.trim().split(/\r?\n/).slice(-2);
  const numbers = /^(\d+)\.(\d+)\.\d+$/.exec(version ?? "");
  if (code !== 0 || program === undefined || version === undefined || numbers === null) {
    return { problem: SETUP.notPython };
  }
  const [major, minor] = [Number(numbers[1]), Number(numbers[2])];
  const isNew = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  const name = SETUP.python(version);
  return isNew ? { python: { program, version } } : { problem: SETUP.tooOld(name), tooOld: name };
}
