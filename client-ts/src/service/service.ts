import type { Disposable, Event } from "vscode";

import type {
  AsyncTask,
  InitializeResult,
  Requests,
  TaskEvent,
  TasksDidChange,
} from "../protocol.js";

/** One event of a run, as the sidecar numbers them: from 1, without gaps. */
export type RunEvent = TaskEvent;

/**
 * What a person may be shown of the sidecar.
 *
 * `running` and `untrusted` both answer requests; in the latter, Restricted Mode, reading works and
 * launching is refused. `failed` is final until `start` or a restart; its message names the remedy.
 */
export interface ServiceState {
  readonly kind:
    "idle" | "settingUp" | "starting" | "running" | "restarting" | "failed" | "untrusted";
  /** A sentence for a person: what set-up is doing, or what went wrong and how to mend it. */
  readonly message?: string;
}

/** The sidecar as the window's views and commands see it: one per window, over every restart. */
export interface SubagentService {
  readonly state: ServiceState;
  readonly onDidChangeState: Event<ServiceState>;
  /** What the sidecar told of itself when it was last started. */
  readonly info: InitializeResult | undefined;
  /** The newest async tasks by id, newest launch first; kept current while the sidecar runs. */
  readonly tasks: ReadonlyMap<string, AsyncTask>;
  /** Fires for each task that is new or changed, after `tasks` holds it. */
  readonly onDidChangeTask: Event<AsyncTask>;
  /** Fires when stored tasks changed; after a restart with empty lists: read everything again. */
  readonly onDidChangeHistory: Event<TasksDidChange>;
  /** Fires when definitions on disk may have changed: ask `subagents/list` again. */
  readonly onDidChangeDefinitions: Event<void>;
  /** Fires when a new sidecar has taken the place of an earlier one and `tasks` is read again. */
  readonly onDidRestart: Event<void>;

  /**
   * Set up and start the sidecar, or wait for whoever does. Resolves when it answers requests and
   * `tasks` is read; rejects with an error whose message names the remedy.
   */
  start(): Promise<void>;

  /**
   * Ask the sidecar, starting it first if it is idle. Rejects with a ResponseError when the sidecar
   * refuses, with a SidecarUnavailableError when there is none to ask.
   */
  request<M extends keyof Requests>(
    method: M,
    params: Requests[M]["params"],
  ): Promise<Requests[M]["result"]>;

  /**
   * Hand over every event of a run with `seq > afterSeq`, in order, once each, over restarts as
   * well, until disposed of. Errors go to the log; the next restart tries again.
   */
  follow(taskId: string, afterSeq: number, onEvents: (events: RunEvent[]) => void): Disposable;
}
