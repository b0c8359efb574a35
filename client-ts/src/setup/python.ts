import { messageOf } from "../errors.js";
import { SetupError } from "./failures.js";
import type { ProgramResult, RunProgram } from "./program.js";

/** An interpreter that is new enough; `program` is absolute. */
export interface Python {
  readonly program: string;
  readonly version: string;
}

/** A way to call what may be Python, and how to speak of it to a person. */
export interface Candidate {
  readonly command: readonly [string, ...string[]];
  readonly origin: string;
}

export interface PythonSources {
  /** The setting `subagentSidecar.pythonPath`, "" if unset. It is the last word when set. */
  readonly setting: string;
  /** The interpreter the Python extension has chosen, if it is there to be asked. */
  readonly selected: () => Promise<string | undefined>;
}

const OLDEST = [3, 11] as const;
const PROBE_MS = 15_000;
const PROBE = "import sys; print(sys.executable); print('%d.%d.%d' % sys.version_info[:3])";

type Answer = { readonly python: Python } | { readonly fault: string; readonly tooOld?: string };

/** Choose the interpreter to set up with. Rejects with a SetupError saying what was found instead. */
export async function findPython(
  sources: PythonSources,
  run: RunProgram,
  cwd: string,
  signal: AbortSignal,
): Promise<Python> {
  if (sources.setting !== "") {
    return fromSetting(await ask([sources.setting], run, cwd, signal), sources.setting);
  }
  const tooOld: string[] = [];
  for await (const candidate of candidates(sources)) {
    const answer = await ask(candidate.command, run, cwd, signal);
    if ("python" in answer) {
      return answer.python;
    }
    if (answer.tooOld !== undefined) {
      tooOld.push(`${answer.tooOld} (${candidate.origin})`);
    }
  }
  throw SetupError.noPython([...new Set(tooOld)]);
}

async function* candidates(sources: PythonSources): AsyncGenerator<Candidate> {
  const selected = await sources.selected();
  if (selected !== undefined) {
    yield { command: [selected], origin: "selected in the Python extension" };
  }
  for (const command of namesOnPath(process.platform)) {
    yield { command, origin: command.join(" ") };
  }
}

/** What Python is called on the PATH, the user's own choice of a default first. */
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
  throw SetupError.badSetting(setting, answer.fault);
}

async function ask(
  command: readonly [string, ...string[]],
  run: RunProgram,
  cwd: string,
  signal: AbortSignal,
): Promise<Answer> {
  const [program, ...args] = command;
  try {
    // -I: neither the environment nor the current folder may slip a module in.
    const options = { cwd, timeoutMs: PROBE_MS, signal };
    return judge(await run(program, [...args, "-I", "-c", PROBE], options));
  } catch (error) {
    signal.throwIfAborted();
    return {
      fault: messageOf(error).includes("ENOENT") ? "there is no such file" : messageOf(error),
    };
  }
}

function judge({ code, output }: ProgramResult): Answer {
  const [program, version] = output.trim().split(/\r?\n/).slice(-2);
  const numbers = /^(\d+)\.(\d+)\.\d+$/.exec(version ?? "");
  if (code !== 0 || program === undefined || version === undefined || numbers === null) {
    return { fault: "it does not answer as Python does" };
  }
  const [major, minor] = [Number(numbers[1]), Number(numbers[2])];
  const isNew = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  const name = `Python ${version}`;
  return isNew ? { python: { program, version } } : { fault: `it is ${name}`, tooOld: name };
}
