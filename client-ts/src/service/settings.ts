import { homedir } from "node:os";
import path from "node:path";

import type * as vscode from "vscode";

import type {
  AsyncTasksSettings,
  HistorySettings,
  HostSettings,
  RunnerSettings,
  Settings,
} from "../protocol.js";

export const SECTION = "subagentSidecar";

/** Read as the settings of SECTION. */
export type Configuration = Pick<vscode.WorkspaceConfiguration, "get" | "inspect">;

/** The definition and the runner of the example, once the user has run it. */
export interface Example {
  readonly directory: string;
  readonly runnerName: string;
  readonly runner: RunnerSettings;
}

/** Settings that only take effect at the next start. */
export const START_KEYS = ["pythonPath", "storageRoot", "foreignRoots"] as const;

/** Settings of the extension, and their names in the sidecar's group `asyncTasks`. */
const ASYNC_TASKS = {
  maxAsyncTasks: "max",
  overLimit: "overLimit",
  defaultTimeoutSeconds: "defaultTimeoutSeconds",
} satisfies Record<string, keyof AsyncTasksSettings>;

/** Settings of the extension, and their names in the sidecar's group `host`. */
const HOST = {
  "host.onLastWindowClose": "onLastWindowClose",
  "host.surviveMinutes": "surviveMinutes",
} satisfies Record<string, keyof HostSettings>;

/** Settings of the extension, and their names in the sidecar's group `history`. */
const HISTORY = {
  "history.autoDiscover": "autoDiscover",
  "history.keep": "keep",
} satisfies Record<string, keyof HistorySettings>;

/** Return the settings for the sidecar. Its own file decides on what the user has not set. */
export function sidecarSettings(config: Configuration, example: Example | undefined): Settings {
  const asyncTasks: AsyncTasksSettings = setMembers(config, ASYNC_TASKS);
  const host: HostSettings = setMembers(config, HOST);
  const history: HistorySettings = setMembers(config, HISTORY);
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
    ...(Object.keys(host).length === 0 ? {} : { host }),
    ...(Object.keys(history).length === 0 ? {} : { history }),
  };
}

/** Return the settings with these names: `budget` is a whole group, `asyncTasks.max` one member. */
export function pickSettings(settings: Settings, names: readonly string[]): Settings {
  const all = settings as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    const [group = "", member] = name.split(".");
    const chosen = member === undefined ? all[group] : { [member]: all[group]?.[member] };
    picked[group] = { ...(picked[group] as object | undefined), ...chosen };
  }
  return picked;
}

/** Return what the user's launches request over the limit: the queue, unless the setting is set. */
export function launchOptions(config: Configuration): { overLimit?: "queue" } {
  return isSet(config, "overLimit") ? {} : { overLimit: "queue" };
}

/** Return the roots to write and read, as parameters of `initialize`. */
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

/** Return the values that the user set, by their names in the sidecar's group. */
function setMembers(config: Configuration, names: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(names)
      .filter(([key]) => isSet(config, key))
      .map(([key, name]) => [name, config.get(key)]),
  );
}

/** Whether the user set a value at any level. */
export function isSet(config: Configuration, key: string): boolean {
  const levels = config.inspect(key);
  return (
    levels?.globalValue !== undefined ||
    levels?.workspaceValue !== undefined ||
    levels?.workspaceFolderValue !== undefined
  );
}
