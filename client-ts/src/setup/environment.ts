import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";

import { messageOf } from "../util/errors.js";
import type { Bundle } from "./bundle.js";
import { diskFailure, pipFailure, SetupError, venvFailure } from "./failures.js";
import { FileLock } from "./fileLock.js";
import { hostsIn, stopHostsIn } from "./hosts.js";
import { PipProgress } from "./pipProgress.js";
import type { RunProgram } from "./program.js";
import type { Python } from "./python.js";
import { SETUP } from "./strings.js";

export interface EnvironmentOptions {
  /** The extension's global storage; the environment is a folder in it. */
  readonly storage: string;
  readonly bundle: () => Promise<Bundle>;
  /** The setting `subagentSidecar.pythonPath`, "" if unset. */
  readonly pythonSetting: () => string;
  readonly findPython: (signal: AbortSignal) => Promise<Python>;
  readonly run: RunProgram;
  /** The environment of pip: the window's, with its proxy. */
  readonly pipEnvironment: () => NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
}

/** Written last: its presence means that the environment is complete. */
interface Stamp {
  readonly base: string;
  readonly version: string;
  readonly setting: string;
}

const STAMP = "subagent-sidecar.json";
const VENV_MS = 120_000;
const PIP_MS = 600_000;

/** The private Python environment that the sidecar runs in, created once from the bundled wheel. */
export class PythonEnvironment {
  readonly #options: EnvironmentOptions;

  constructor(options: EnvironmentOptions) {
    this.#options = options;
  }

  /**
   * Return the environment's interpreter, creating or repairing the environment first if needed;
   * `report` receives progress messages. Rejects with a SetupError, or when aborted.
   */
  async ensure(report: (message: string) => void, signal: AbortSignal): Promise<string> {
    const bundle = await this.#options.bundle();
    const folder = this.#folder(bundle);
    if (await this.#isComplete(folder)) {
      return interpreterIn(folder);
    }
    try {
      await mkdir(this.#options.storage, { recursive: true });
      await this.#underLock(folder, bundle, report, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof SetupError ? error : diskFailure(messageOf(error));
    }
    return interpreterIn(folder);
  }

  /** Remove the environment unless a Host uses it, so that the next `ensure` creates it again. */
  async remove(): Promise<void> {
    const folder = this.#folder(await this.#options.bundle());
    await requireUnused(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Stop the Hosts that run in the environment. Rejects with a SetupError. */
  async stopHosts(env: NodeJS.ProcessEnv): Promise<void> {
    const folder = this.#folder(await this.#options.bundle());
    await stopHostsIn(folder, interpreterIn(folder), this.#options.run, env);
  }

  /** Describe what the environment was created with, for diagnostics; undefined if there is none. */
  async describe(): Promise<Stamp | undefined> {
    return readStamp(this.#folder(await this.#options.bundle()));
  }

  /** Another bundle or another Python gets another folder: a running Host may use the former one. */
  #folder({ fingerprint }: Bundle): string {
    const setting = this.#options.pythonSetting();
    const hash = createHash("sha256").update(`${fingerprint} ${setting}`).digest("hex");
    const name = setting === "" ? fingerprint : hash.slice(0, fingerprint.length);
    return path.join(this.#options.storage, `venv-${name}`);
  }

  async #isComplete(folder: string): Promise<boolean> {
    if ((await readStamp(folder)) === undefined) {
      return false;
    }
    // The link dangles if the Python that created it was removed.
    return stat(interpreterIn(folder)).then(
      () => true,
      () => false,
    );
  }

  async #underLock(
    folder: string,
    bundle: Bundle,
    report: (message: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const lock = await FileLock.acquire(`${folder}.lock`, signal, () => {
      report(SETUP.waiting);
    });
    try {
      if (!(await this.#isComplete(folder))) {
        await this.#create(folder, bundle, report, signal);
      }
    } finally {
      await lock.release();
    }
  }

  async #create(
    folder: string,
    bundle: Bundle,
    report: (message: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    await requireUnused(folder);
    report(SETUP.findingPython);
    const python = await this.#options.findPython(signal);
    this.#options.log(`Setting up with Python ${python.version}, ${python.program}`);
    report(SETUP.creating);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    await this.#createVenv(folder, python, signal);
    report(SETUP.installing);
    await this.#install(folder, bundle, report, signal);
    const setting = this.#options.pythonSetting();
    const stamp: Stamp = { base: python.program, version: python.version, setting };
    await writeFile(path.join(folder, STAMP), JSON.stringify(stamp));
    await this.#removeOthers(folder);
  }

  async #createVenv(folder: string, python: Python, signal: AbortSignal): Promise<void> {
    const args = ["-I", "-m", "venv", folder];
    const options = { ...this.#programOptions(signal), timeoutMs: VENV_MS };
    const { code, output } = await this.#options.run(python.program, args, options);
    if (code !== 0) {
      throw venvFailure(output, python.program);
    }
  }

  async #install(
    folder: string,
    bundle: Bundle,
    report: (message: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const pip = ["-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input"];
    // Install only the tested files, whatever index or mirror pip is configured for.
    const checked = ["--require-hashes", "--only-binary", ":all:"];
    const args = [...pip, ...checked, "--requirement", bundle.requirements];
    const progress = new PipProgress(await readFile(bundle.requirements, "utf8"));
    const { code, output } = await this.#options.run(interpreterIn(folder), args, {
      ...this.#programOptions(signal),
      cwd: bundle.folder, // The list names the wheel relative to its folder.
      timeoutMs: PIP_MS,
      env: this.#options.pipEnvironment(),
      onLine: (line) => {
        this.#options.log(line);
        const message = progress.take(line);
        if (message !== undefined) {
          report(message);
        }
      },
    });
    if (code !== 0) {
      throw pipFailure(output);
    }
  }

  #programOptions(signal: AbortSignal) {
    return { cwd: this.#options.storage, signal, onLine: this.#options.log };
  }

  /** Remove environments of earlier versions of the extension that no Host uses. */
  async #removeOthers(folder: string): Promise<void> {
    for (const name of await readdir(this.#options.storage)) {
      if (/^venv-[0-9a-f]{12}$/.test(name) && name !== path.basename(folder)) {
        const old = path.join(this.#options.storage, name);
        if ((await hostsIn(old)).length > 0) {
          continue; // A later setup removes it.
        }
        await rm(old, { recursive: true, force: true }).catch((error: unknown) => {
          this.#options.log(`Could not remove ${old}: ${messageOf(error)}`);
        });
      }
    }
  }
}

async function requireUnused(folder: string): Promise<void> {
  const [host] = await hostsIn(folder);
  if (host !== undefined) {
    throw new SetupError(SETUP.inUse(host.pid));
  }
}

function interpreterIn(folder: string): string {
  return process.platform === "win32"
    ? path.join(folder, "Scripts", "python.exe")
    : path.join(folder, "bin", "python");
}

async function readStamp(folder: string): Promise<Stamp | undefined> {
  try {
    return JSON.parse(await readFile(path.join(folder, STAMP), "utf8")) as Stamp;
  } catch {
    return undefined;
  }
}
