import {
  type CancellationToken,
  ConnectionError,
  type Disposable,
  Emitter,
  ErrorCodes,
  type Event,
  ResponseError,
} from "vscode-jsonrpc/node";

import { type RestartLimits, RestartPolicy } from "./backoff.js";
import { SidecarUnavailableError } from "../util/errors.js";
import { Handlers, type RequestHandler } from "./handlers.js";
import type {
  InitializeResult,
  LogMessage,
  Notifications,
  Requests,
  ServerNotifications,
  ServerRequests,
} from "../protocol.js";
import { openSession, type Session, type SessionOptions } from "./session.js";
import type { SidecarState } from "./state.js";
import { Supervisor } from "./supervisor.js";
import * as strings from "../text/strings.js";

export type LogLevel = LogMessage["level"];

export interface SidecarClientOptions extends SessionOptions {
  /** Receives the sidecar's stderr (level info) and its `log` notifications. */
  readonly log?: (level: LogLevel, message: string) => void;
  readonly restart?: Partial<RestartLimits>;
  /** Explain an end after which another start would fail the same way; undefined for others. */
  readonly explainFatal?: (reason: string) => string | undefined;
}

/** While one supervisor replaces another: the state of the former does not matter. */
const RESTARTING: SidecarState = { kind: "restarting", message: strings.sidecar.restarting };

/** Starts the sidecar, keeps it running, and offers its protocol with types. */
export class SidecarClient {
  readonly #options: SidecarClientOptions;
  readonly #open: typeof openSession;
  readonly #handlers = new Handlers();
  readonly #states = new Emitter<SidecarState>();
  readonly #restarts = new Emitter<InitializeResult>();
  #state: SidecarState = { kind: "idle" };
  #supervisor: Supervisor | undefined;
  #hasRun = false;
  #stops = 0;
  #restarting: Promise<InitializeResult> | undefined;
  #queuedRestart: Promise<InitializeResult> | undefined;

  /** Only tests replace `open`. */
  constructor(options: SidecarClientOptions, open: typeof openSession = openSession) {
    this.#options = options;
    this.#open = open;
    this.onNotification("log", ({ level, message }) => {
      this.#log(level, message);
    });
  }

  get state(): SidecarState {
    return this.#state;
  }

  /** What the running sidecar reported about itself. */
  get info(): InitializeResult | undefined {
    return this.#supervisor?.session?.info;
  }

  /** The process id of the running sidecar, for diagnostics. */
  get pid(): number | undefined {
    return this.#supervisor?.session?.pid;
  }

  /** Fires for every change of `state`. */
  get onState(): Event<SidecarState> {
    return this.#states.event;
  }

  /**
   * Fires when a new sidecar has replaced an earlier one. Subscriptions are gone: subscribe again
   * with `afterSeq`, and read the lists again.
   */
  get onRestarted(): Event<InitializeResult> {
    return this.#restarts.event;
  }

  /**
   * Start the sidecar; while it runs or starts, wait for the same handshake. Rejects with a
   * StartError when it cannot be started, with a SidecarUnavailableError when stopped meanwhile.
   */
  start(): Promise<InitializeResult> {
    if (this.#supervisor?.active !== true) {
      this.#supervisor = this.#supervise();
    }
    return this.#supervisor.ready;
  }

  /** Stop the sidecar and wait until its process has ended. Idempotent, at any time. */
  async stop(): Promise<void> {
    this.#stops += 1;
    this.#queuedRestart = undefined;
    await this.#supervisor?.stop();
  }

  /**
   * Stop the sidecar if it runs, and start it again with no crashes counted. During a restart one
   * more is queued, which all further calls share; `stop` drops it.
   */
  restart(): Promise<InitializeResult> {
    if (this.#restarting === undefined) {
      return this.#restartNow();
    }
    if (this.#queuedRestart === undefined) {
      this.#queuedRestart = this.#restartAfter(this.#restarting);
      this.#queuedRestart.catch(() => undefined);
    }
    return this.#queuedRestart;
  }

  /**
   * Send a request; cancelling the token cancels it in the sidecar. Rejects with a ResponseError
   * when the sidecar refuses, with a SidecarUnavailableError when it is not running.
   */
  async request<M extends keyof Requests>(
    method: M,
    params: Requests[M]["params"],
    token?: CancellationToken,
  ): Promise<Requests[M]["result"]> {
    try {
      return (await this.#session(method).request(method, params, token)) as Requests[M]["result"];
    } catch (error) {
      throw translate(method, error);
    }
  }

  async notify<M extends keyof Notifications>(
    method: M,
    params: Notifications[M]["params"],
  ): Promise<void> {
    try {
      await this.#session(method).notify(method, params);
    } catch (error) {
      throw translate(method, error);
    }
  }

  /** Listen to a notification, across restarts. */
  onNotification<M extends keyof ServerNotifications>(
    method: M,
    listener: (params: ServerNotifications[M]["params"]) => void,
  ): Disposable {
    return this.#handlers.onNotification(method, listener);
  }

  /** Answer a request of the sidecar, across restarts. Requests without a handler are refused. */
  onRequest<M extends keyof ServerRequests>(method: M, handler: RequestHandler<M>): Disposable {
    return this.#handlers.onRequest(method, handler);
  }

  #session(method: string): Session {
    const session = this.#supervisor?.session;
    if (session === undefined) {
      throw new SidecarUnavailableError(strings.sidecar.unavailable(method));
    }
    return session;
  }

  #supervise(): Supervisor {
    const peer = {
      notified: this.#handlers.notified.bind(this.#handlers),
      asked: this.#handlers.asked.bind(this.#handlers),
      stderr: (line: string) => {
        this.#log("info", line);
      },
    };
    const supervisor: Supervisor = new Supervisor(
      {
        open: (signal) => this.#open(this.#options, peer, signal),
        policy: new RestartPolicy(this.#options.restart),
        explainFatal: this.#options.explainFatal ?? (() => undefined),
        report: (state) => {
          this.#enter(supervisor === this.#supervisor ? state : RESTARTING);
        },
      },
      this.#supervisor?.done ?? Promise.resolve(),
    );
    return supervisor;
  }

  #enter(state: SidecarState): void {
    this.#state = state;
    this.#states.fire(state);
    if (state.kind === "running" && this.info !== undefined) {
      if (this.#hasRun) {
        this.#restarts.fire(this.info);
      }
      this.#hasRun = true;
    }
  }

  #restartNow(): Promise<InitializeResult> {
    void this.#supervisor?.stop();
    this.#supervisor = this.#supervise();
    const restarting = this.#supervisor.ready.finally(() => {
      this.#restarting = undefined;
    });
    restarting.catch(() => undefined); // The state reports a failure as well.
    this.#restarting = restarting;
    return restarting;
  }

  async #restartAfter(current: Promise<InitializeResult>): Promise<InitializeResult> {
    const stops = this.#stops;
    await current.catch(() => undefined);
    if (stops !== this.#stops) {
      throw new SidecarUnavailableError(strings.sidecar.restartDropped);
    }
    this.#queuedRestart = undefined;
    return this.#restartNow();
  }

  #log(level: LogLevel, message: string): void {
    this.#options.log?.(level, message);
  }
}

const LOST: readonly number[] = [ErrorCodes.PendingResponseRejected, ErrorCodes.MessageWriteError];

/** Turn every way of losing the connection into one error. */
function translate(method: string, error: unknown): unknown {
  const lost =
    error instanceof ConnectionError ||
    (error instanceof ResponseError && LOST.includes(error.code)) ||
    isStreamError(error);
  return lost ? new SidecarUnavailableError(strings.sidecar.connectionLost(method)) : error;
}

/** Node's errors have names as codes, such as EPIPE; refusals have numbers. */
function isStreamError(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
