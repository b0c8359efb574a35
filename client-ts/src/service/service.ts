import type { CancellationToken, Disposable, Event } from "vscode";

import type { SidecarState } from "../client/state.js";
import type {
  AsyncTask,
  InitializeResult,
  Requests,
  TaskEvent,
  TasksDidChange,
} from "../protocol.js";

/** One event of a run, as the sidecar numbers them: from 1, without gaps. */
export type RunEvent = TaskEvent;

export type { SidecarState as ServiceState };

/** The sidecar as the window's views and commands see it: one per window, over every restart. */
export interface SubagentService {
  readonly state: SidecarState;
  readonly onDidChangeState: Event<SidecarState>;
  /** What the sidecar reported about itself when it last started. */
  readonly info: InitializeResult | undefined;
  /**
   * All async tasks that are queued or running and the newest others, newest launch first; up to date
   * while the sidecar runs.
   */
  readonly tasks: ReadonlyMap<string, AsyncTask>;
  /** Fires for each task that is new or changed, after `tasks` contains it. */
  readonly onDidChangeTask: Event<AsyncTask>;
  /** Fires with the ids of tasks that were deleted or are too old to keep, after `tasks` lacks them. */
  readonly onDidRemoveTasks: Event<readonly string[]>;
  /** Fires when stored tasks changed; after a restart with empty lists: read everything again. */
  readonly onDidChangeHistory: Event<TasksDidChange>;
  /** Fires when definitions on disk may have changed: request `subagents/list` again. */
  readonly onDidChangeDefinitions: Event<void>;
  /** Fires when another window has changed settings that all windows share. */
  readonly onDidChangeSettings: Event<void>;
  /** Fires when a new sidecar has replaced an earlier one and `tasks` has been read again. */
  readonly onDidRestart: Event<void>;

  /**
   * Set up and start the sidecar, or wait for a start in progress. Resolves when it answers requests
   * and `tasks` has been read; rejects with an error whose message names the remedy.
   */
  start(): Promise<void>;

  /**
   * Send a request, starting the sidecar first if it is idle. Rejects with a ResponseError when the
   * sidecar refuses, with a SidecarUnavailableError when it is not running. Cancelling the token
   * cancels the request in the sidecar.
   */
  request<M extends keyof Requests>(
    method: M,
    params: Requests[M]["params"],
    token?: CancellationToken,
  ): Promise<Requests[M]["result"]>;

  /**
   * Deliver every event of a run with `seq > afterSeq` once and in order, across restarts, until
   * disposed. Errors go to the log; the next restart tries again. `onRestart` is called when events of a
   * stored task are different now: follow it again from the start.
   */
  follow(
    taskId: string,
    afterSeq: number,
    onEvents: (events: RunEvent[]) => void,
    onRestart?: () => void,
  ): Disposable;
}
