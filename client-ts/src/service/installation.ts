import { existsSync } from "node:fs";
import path from "node:path";

import * as vscode from "vscode";

import { coalesced } from "../util/coalesce.js";
import { messageOf } from "../util/errors.js";
import { launcherIn, writeLauncher } from "../util/launcher.js";
import { pipEnvironment, sidecarEnvironment } from "./environmentVariables.js";
import { expandHome, SECTION } from "./settings.js";
import { readBundle } from "../setup/bundle.js";
import { PythonEnvironment } from "../setup/environment.js";
import { newestInterpreter } from "../setup/generations.js";
import { runProgram } from "../setup/program.js";
import { findPython, outsideOf } from "../setup/python.js";
import type { ReportSetup } from "../client/state.js";
import type { SidecarCommand } from "../client/sidecarProcess.js";
import { SETUP } from "../setup/strings.js";

/** The sidecar's private Python environment, as this window creates it. */
export class Installation {
  readonly environment: PythonEnvironment;
  readonly #storage: string;
  readonly #log: vscode.LogOutputChannel;
  /** Runs setup once for everyone who waits for it. */
  readonly #ensure: () => Promise<string>;
  #reports = new Set<ReportSetup>();
  #python: string | undefined;
  #cancel: AbortController | undefined;
  #renews = false;

  /** `disconnect` is called before an environment is replaced. */
  constructor(
    context: vscode.ExtensionContext,
    log: vscode.LogOutputChannel,
    disconnect: () => Promise<void>,
  ) {
    this.#storage = context.globalStorageUri.fsPath;
    this.#log = log;
    const pythonSetting = (): string =>
      expandHome(configuration(SECTION).get<string>("pythonPath", "").trim());
    this.environment = new PythonEnvironment({
      storage: this.#storage,
      bundle: () => readBundle(path.join(context.extensionPath, "bundled")),
      pythonSetting,
      findPython: (signal) =>
        findPython(
          { setting: pythonSetting(), environment: outsideOf(workspaceFolders(), process.env) },
          runProgram,
          this.#storage,
          signal,
        ),
      run: runProgram,
      pipEnvironment: () =>
        pipEnvironment(process.env, configuration("http").get<string>("proxy", "")),
      disconnect,
      log: (line) => {
        log.debug(`setup: ${line}`);
      },
    });
    this.#ensure = coalesced(() => this.#run());
  }

  /** The interpreter, which changes if a window reinstalls; undefined until `prepare` has succeeded. */
  get python(): string | undefined {
    return this.#python === undefined ? undefined : newestInterpreter(this.#python);
  }

  /** Let the next `prepare` replace the environment, which ends the Hosts that use it, with their runs. */
  reinstall(): void {
    this.#renews = true;
  }

  /**
   * Create the environment if needed. Returns a function that returns what to run now. Rejects with a
   * SetupError.
   */
  async prepare(report: ReportSetup): Promise<() => SidecarCommand> {
    this.#reports.add(report);
    try {
      this.#python = await this.#ensure();
    } finally {
      this.#reports.delete(report);
    }
    const python = this.#python;
    await this.#updateLauncher(newestInterpreter(python));
    return () => ({
      program: newestInterpreter(python),
      // -I: no module of the workspace or of the user's environment can replace the sidecar's.
      args: ["-I", "-m", "sidecar", "serve"],
      cwd: this.#storage,
      env: sidecarEnvironment(process.env),
    });
  }

  /** Return a program that other programs can start the sidecar with, across updates. */
  async launcher(): Promise<string> {
    const command = await this.prepare(() => undefined);
    return writeLauncher(this.#storage, command().program);
  }

  /** Have the launcher, if other programs use it, run the current environment. */
  async #updateLauncher(python: string): Promise<void> {
    if (existsSync(launcherIn(this.#storage))) {
      await writeLauncher(this.#storage, python).catch((error: unknown) => {
        this.#log.warn(`launcher: ${messageOf(error)}`);
      });
    }
  }

  /** Cancel setup in progress; `prepare` rejects with a message that tells how to continue. */
  cancel(): void {
    this.#cancel?.abort();
  }

  async #run(): Promise<string> {
    const renews = this.#renews;
    this.#renews = false;
    const cancel = new AbortController();
    this.#cancel = cancel;
    const report: ReportSetup = (message, step) => {
      for (const listener of this.#reports) {
        listener(message, step);
      }
    };
    try {
      return renews
        ? await this.environment.renew(report, cancel.signal, sidecarEnvironment(process.env))
        : await this.environment.ensure(report, cancel.signal);
    } catch (error) {
      throw cancel.signal.aborted
        ? new Error(SETUP.cancelled)
        : new Error(messageOf(error), { cause: error });
    } finally {
      this.#cancel = undefined;
    }
  }
}

function workspaceFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
}

function configuration(section: string): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(section);
}
