import {
  type CancellationToken,
  ConnectionError,
  ErrorCodes,
  ResponseError,
} from "vscode-jsonrpc/node";

import { type RestartLimits, RestartPolicy } from "./backoff.js";
import { messageOf, SidecarUnavailableError } from "../util/errors.js";
import { Handlers, type RequestHandler } from "./handlers.js";
import { type Disposable, Listeners } from "./listeners.js";
import type {
  InitializeResult,
  LogMessage,
  Notifications,
  Requests,
  ServerNotifications,
  ServerRequests,
} from "../protocol.js";
import { openSession, type Session, type SessionOptions } from "./session.js";
import { type ClientState, Supervisor } from "./supervisor.js";

export type LogLevel = LogMessage["level"];

export interface SidecarClientOptions extends SessionOptions {
  /** Takes the sidecar's stderr (level info), its `log` notifications, and faults of listeners. */
  readonly log?: (level: LogLevel, message: string) => void;
  readonly restart?: Partial<RestartLimits>;
}

/** Starts the sidecar, keeps it running, and speaks its protocol with types. */
export class SidecarClient {
  readonly #options: SidecarClientOptions;
  readonly #open: typeof openSession;
  readonly #handlers = new Handlers(this.#listenerFailed.bind(this));
  readonly #states = new Listeners<ClientState>(this.#listenerFailed.bind(this));
  readonly #restarts = new Listeners<InitializeResult>(this.#listenerFailed.bind(this));
  #state: ClientState = { kind: "stopped" };
  #supervisor: Supervisor | undefined;
  #greeted = false;
  #stops = 0;
  #restarting: Promise<InitializeResult> | undefined;
  #queuedRestart: Promise<InitializeResult> | undefined;

  /** `open` is replaced by tests only. */
  constructor(options: SidecarClientOptions, open: typeof openSession = openSession) {
    this.#options = options;
    this.#open = open;
    this.onNotification("log", ({ level, message }) => {
      this.#log(level, message);
    });
  }

  get state(): ClientState {
    return this.#state;
  }

  /** The process id of the running sidecar, for diagnostics. */
  get pid(): number | undefined {
    return this.#supervisor?.session?.pid;
  }

  /** Told of every change of `state`. */
  get onState(): (listener: (state: ClientState) => void) => Disposable {
    return this.#states.event;
  }

  /**
   * Told when a new sidecar has taken the place of an earlier one. Its subscriptions are gone:
   * subscribe again with `afterSeq`, and read the lists again.
   */
  get onRestarted(): (listener: (info: InitializeResult) => void) => Disposable {
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

  /** End the sidecar and wait until its process is gone. Idempotent, at any time. */
  async stop(): Promise<void> {
    this.#stops += 1;
    this.#queuedRestart = undefined;
    await this.#supervisor?.stop();
  }

  /**
   * End the sidecar if it runs, and start it anew, crashes forgotten. While a restart is under way
   * one more is queued, and every further call shares that one; `stop` drops it.
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
   * Ask the sidecar; cancelling the token cancels the request there. Rejects with a ResponseError
   * when the sidecar refuses, with a SidecarUnavailableError when there is none to ask.
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

  /** Listen to what the sidecar tells; lasts over restarts. */
  onNotification<M extends keyof ServerNotifications>(
    method: M,
    listener: (params: ServerNotifications[M]["params"]) => void,
  ): Disposable {
    return this.#handlers.onNotification(method, listener);
  }

  /** Answer what the sidecar asks; lasts over restarts. Unhandled requests are refused for it. */
  onRequest<M extends keyof ServerRequests>(method: M, handler: RequestHandler<M>): Disposable {
    return this.#handlers.onRequest(method, handler);
  }

  #session(method: string): Session {
    const session = this.#supervisor?.session;
    if (session === undefined) {
      throw new SidecarUnavailableError(`${method}: the sidecar is ${this.#state.kind}`);
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
    return new Supervisor(
      (signal) => this.#open(this.#options, peer, signal),
      new RestartPolicy(this.#options.restart),
      (state) => {
        this.#enter(state);
      },
      this.#supervisor?.done ?? Promise.resolve(),
    );
  }

  #enter(state: ClientState): void {
    this.#state = state;
    this.#states.fire(state);
    if (state.kind === "running") {
      if (this.#greeted) {
        this.#restarts.fire(state.info);
      }
      this.#greeted = true;
    }
  }

  #restartNow(): Promise<InitializeResult> {
    void this.#supervisor?.stop();
    this.#supervisor = this.#supervise();
    const restarting = this.#supervisor.ready.finally(() => {
      this.#restarting = undefined;
    });
    restarting.catch(() => undefined); // The state tells of a failure too.
    this.#restarting = restarting;
    return restarting;
  }

  async #restartAfter(current: Promise<InitializeResult>): Promise<InitializeResult> {
    const stops = this.#stops;
    await current.catch(() => undefined);
    if (stops !== this.#stops) {
      throw new SidecarUnavailableError("The sidecar was stopped; the restart is dropped.");
    }
    this.#queuedRestart = undefined;
    return this.#restartNow();
  }

  #log(level: LogLevel, message: string): void {
    this.#options.log?.(level, message);
  }

  #listenerFailed(error: unknown): void {
    this.#log("error", `A listener failed: ${messageOf(error)}`);
  }
}

const LOST: readonly number[] = [ErrorCodes.PendingResponseRejected, ErrorCodes.MessageWriteError];

/** Say in one way that the connection went away under a request. */
function translate(method: string, error: unknown): unknown {
  const lost =
    error instanceof ConnectionError ||
    (error instanceof ResponseError && LOST.includes(error.code)) ||
    isStreamError(error);
  return lost ? new SidecarUnavailableError(`${method}: the connection was lost`) : error;
}

/** Node's own errors have words for codes, such as EPIPE; refusals have numbers. */
function isStreamError(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
