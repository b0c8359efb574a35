import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import type { ReportSetup } from "../client/state.js";
import { messageOf } from "../util/errors.js";
import type { Bundle } from "./bundle.js";
import { diskFailure, pipFailure, SetupError, venvFailure } from "./failures.js";
import { FileLock } from "./fileLock.js";
import { environmentsIn, Generations, interpreterIn, STAMP } from "./generations.js";
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
  /** Disconnect this window from the Hosts that a renewal is about to stop. */
  readonly disconnect: () => Promise<void>;
  readonly log: (line: string) => void;
}

/** What an environment was created with. */
interface Stamp {
  readonly base: string;
  readonly version: string;
  readonly setting: string;
}

const LOCK = "venv.lock";
const VENV_MS = 120_000;
const PIP_MS = 600_000;

/** The private Python environment that the sidecar runs in, created once from the bundled wheel. */
export class PythonEnvironment {
  readonly #options: EnvironmentOptions;

  constructor(options: EnvironmentOptions) {
    this.#options = options;
  }

  /**
   * Return the environment's interpreter, creating the environment first if needed; `report` receives
   * progress messages. Rejects with a SetupError, or when aborted.
   */
  async ensure(report: ReportSetup, signal: AbortSignal): Promise<string> {
    const generations = await this.#generations();
    const { newest } = generations;
    if (newest !== undefined) {
      return interpreterIn(newest);
    }
    return this.#explained(signal, () =>
      this.#locked(report, signal, async () => generations.newest ?? this.#create(report, signal)),
    );
  }

  /**
   * Create another environment, which replaces the present one from then on, and stop the Hosts that run
   * in the others of its kind, with their runs. Returns its interpreter. Rejects as `ensure` does, which
   * changes nothing.
   */
  async renew(report: ReportSetup, signal: AbortSignal, env: NodeJS.ProcessEnv): Promise<string> {
    return this.#explained(signal, () =>
      this.#locked(report, signal, async () => {
        const folder = await this.#create(report, signal);
        await this.#options.disconnect();
        const { all } = await this.#generations();
        for (const old of all.filter((other) => other !== folder)) {
          await stopHostsIn(old, interpreterIn(folder), this.#options.run, env);
        }
        await this.#removeOthers(folder);
        return folder;
      }),
    );
  }

  /** Describe what the environment was created with, for diagnostics; undefined if there is none. */
  async describe(): Promise<Stamp | undefined> {
    const { newest } = await this.#generations();
    return newest === undefined ? undefined : readStamp(newest);
  }

  /** Another bundle or another Python gets other environments. */
  async #generations(): Promise<Generations> {
    const { fingerprint } = await this.#options.bundle();
    const setting = this.#options.pythonSetting();
    const hash = createHash("sha256").update(`${fingerprint} ${setting}`).digest("hex");
    const name = setting === "" ? fingerprint : hash.slice(0, fingerprint.length);
    return new Generations(path.join(this.#options.storage, `venv-${name}`));
  }

  /** Return the interpreter in the folder that `create` returns; explain why it failed. */
  async #explained(signal: AbortSignal, create: () => Promise<string>): Promise<string> {
    try {
      await mkdir(this.#options.storage, { recursive: true });
      return interpreterIn(await create());
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof SetupError ? error : diskFailure(messageOf(error));
    }
  }

  /** Call `create` while no other window creates an environment. */
  async #locked(
    report: ReportSetup,
    signal: AbortSignal,
    create: () => Promise<string>,
  ): Promise<string> {
    const lock = await FileLock.acquire(path.join(this.#options.storage, LOCK), signal, () => {
      report(SETUP.waiting);
    });
    try {
      return await create();
    } finally {
      await lock.release();
    }
  }

  /** Create the next environment and return its folder. */
  async #create(report: ReportSetup, signal: AbortSignal): Promise<string> {
    const bundle = await this.#options.bundle();
    report(SETUP.findingPython, "python");
    const python = await this.#options.findPython(signal);
    this.#options.log(`Setting up with Python ${python.version}, ${python.program}`);
    report(SETUP.creating, "environment");
    const folder = await (await this.#generations()).next();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    await this.#createVenv(folder, python, signal);
    report(SETUP.installing, "download");
    await this.#install(folder, bundle, report, signal);
    const setting = this.#options.pythonSetting();
    const stamp: Stamp = { base: python.program, version: python.version, setting };
    await writeFile(path.join(folder, STAMP), JSON.stringify(stamp));
    await this.#removeOthers(folder);
    return folder;
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
    report: ReportSetup,
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
          report(message, progress.step);
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

  /** Remove the other environments that no Host uses; a later setup removes the rest. */
  async #removeOthers(folder: string): Promise<void> {
    for (const old of environmentsIn(this.#options.storage)) {
      if (old === folder || (await hostsIn(old)).length > 0) {
        continue;
      }
      // A sidecar that is just ending may still write compiled files.
      await rm(old, { recursive: true, force: true, maxRetries: 3 }).catch((error: unknown) => {
        this.#options.log(`Could not remove ${old}: ${messageOf(error)}`);
      });
    }
  }
}

async function readStamp(folder: string): Promise<Stamp | undefined> {
  try {
    return JSON.parse(await readFile(path.join(folder, STAMP), "utf8")) as Stamp;
  } catch {
    return undefined;
  }
}
