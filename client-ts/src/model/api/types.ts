// The types of the API for other extensions. docs/extension-api.md contains this module.
import type { Disposable } from "vscode";

/** What `vscode.extensions.getExtension("subagent-sidecar.subagent-sidecar").activate()` returns. */
export interface SubagentSidecarApi {
  /** Grows when a member changes its meaning or is removed; new members keep it. */
  readonly version: 1;

  /**
   * Return what to add to the next message to the agent's model: the ends of subagents that it has not been
   * notified of. Undefined if there are none. The same ends come again until they are acknowledged.
   */
  remindersBeforeTurn(): Promise<SubagentReminder | undefined>;

  /** Call a listener with each run of this workspace that ends. */
  onDidEndRun(listener: (run: SubagentRun) => void): Disposable;

  /** Return the newest runs, newest launch first. */
  listRuns(): Promise<SubagentRun[]>;

  /**
   * Launch a subagent in the background; over the limit it waits in the queue. Rejects with a message for
   * a person, for example in Restricted Mode.
   */
  launch(options: SubagentLaunch): Promise<SubagentRun>;

  /** Cancel a run. Return whether this call ended it. Rejects if there is no such run. */
  cancel(runId: string): Promise<boolean>;
}

/** Text for a model. It quotes what subagents reported: data, not instructions. */
export interface SubagentReminder {
  readonly text: string;
  /** The ids of the runs that it reports. */
  readonly runIds: readonly string[];
  /** Call this once the model has received the text. */
  acknowledge(): Promise<void>;
}

/** What to launch. */
export interface SubagentLaunch {
  /** The name of a subagent definition. */
  readonly subagent: string;
  /** What the subagent should achieve. */
  readonly goal: string;
  /** The absolute path of the folder to work in. Default: the first folder of the workspace. */
  readonly folder?: string;
  /** Whether `remindersBeforeTurn` reports the end. Default: false. */
  readonly remindsModel?: boolean;
}

/** One execution of a subagent. Times are in ms since the epoch. */
export interface SubagentRun {
  readonly id: string;
  readonly subagent: string;
  readonly goal: string;
  readonly status: "queued" | "running" | "completed" | "failed" | "cancelled";
  readonly launchedAt?: number;
  readonly endedAt?: number;
  /** The last message of the subagent, once the run has ended. */
  readonly result?: string;
  /** Why the run failed. */
  readonly error?: string;
}
