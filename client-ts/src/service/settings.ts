import { homedir } from "node:os";
import path from "node:path";

import type * as vscode from "vscode";

import type { AsyncTasksSettings, RunnerSettings, Settings } from "../protocol.js";

export const SECTION = "subagentSidecar";

/** Read as the settings of SECTION. */
export type Configuration = Pick<vscode.WorkspaceConfiguration, "get" | "inspect">;

/** Definitions and runners that come with the extension, once the user has asked for them. */
export interface Example {
  readonly directory: string;
  readonly runnerName: string;
  readonly runner: RunnerSettings;
}

/** Settings that take effect at the next start only. */
export const START_KEYS = ["pythonPath", "storageRoot", "foreignRoots"] as const;

/** Our settings, and what the sidecar calls them in its group `asyncTasks`. */
const ASYNC_TASKS = {
  maxAsyncTasks: "max",
  overLimit: "overLimit",
  defaultTimeoutSeconds: "defaultTimeoutSeconds",
} satisfies Record<string, keyof AsyncTasksSettings>;

/** Return the sidecar's settings. What the user has not set is left to the sidecar's own file. */
export function sidecarSettings(config: Configuration, example: Example | undefined): Settings {
  const asyncTasks: AsyncTasksSettings = Object.fromEntries(
    Object.entries(ASYNC_TASKS)
      .filter(([key]) => isSet(config, key))
      .map(([key, name]) => [name, config.get(key)]),
  );
  const directories = [
    ...config.get<string[]>("agentDirectories", []).map(expandHome),
    ...(example === undefined ? [] : [example.directory]),
  ];
  const approved = config.get<string[]>("approvedAgents", []);
  const agents = {
    ...(directories.length === 0 ? {} : { directories }),
    ...(approved.length === 0 ? {} : { approved }),
  };
  const runners = {
    ...(example === undefined ? {} : { [example.runnerName]: example.runner }),
    ...config.get<Record<string, RunnerSettings>>("runners"),
  };
  const defaultRunner = config.get<string>("defaultRunner", "");
  return {
    ...(Object.keys(asyncTasks).length === 0 ? {} : { asyncTasks }),
    ...(Object.keys(agents).length === 0 ? {} : { agents }),
    ...(Object.keys(runners).length === 0 ? {} : { runners }),
    ...(defaultRunner === "" ? {} : { defaultRunner }),
  };
}

/** What a person's launches ask for over the limit: they wait, unless the person chose otherwise. */
export function launchWish(config: Configuration): { overLimit?: "queue" } {
  return isSet(config, "overLimit") ? {} : { overLimit: "queue" };
}

/** Return where tasks are stored and read, as `initialize` takes it. */
export function sidecarRoots(config: Configuration): {
  storageRoot?: string;
  foreignRoots: string[];
} {
  const own = config.get<string>("storageRoot", "");
  const foreignRoots = config.get<string[]>("foreignRoots", []).map(expandHome);
  return own === "" ? { foreignRoots } : { storageRoot: expandHome(own), foreignRoots };
}

/** Replace a leading `~` by the home directory. */
export function expandHome(file: string): string {
  return file === "~" || /^~[\\/]/.test(file) ? path.join(homedir(), file.slice(1)) : file;
}

/** Whether a person chose a value, at whatever level. */
function isSet(config: Configuration, key: string): boolean {
  const levels = config.inspect(key);
  return (
    levels?.globalValue !== undefined ||
    levels?.workspaceValue !== undefined ||
    levels?.workspaceFolderValue !== undefined
  );
}
