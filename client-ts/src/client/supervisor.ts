import type { RestartPolicy, Retry } from "./backoff.js";
import { messageOf, SidecarUnavailableError, StartError } from "../util/errors.js";
import type { InitializeResult } from "../protocol.js";
import type { Session } from "./session.js";
import type { SidecarState } from "./state.js";
import { pause, whenAborted } from "./waiting.js";
import * as strings from "../text/strings.js";

/** What a supervisor works with. */
export interface SupervisorOptions {
  readonly open: (signal: AbortSignal) => Promise<Session>;
  readonly policy: RestartPolicy;
  /** Explain an end after which another start would fail the same way; undefined for others. */
  readonly explainFatal: (reason: string) => string | undefined;
  readonly report: (state: SidecarState) => void;
}

/** Keeps a sidecar alive from a start to a stop, or until it crashes too often. */
export class Supervisor {
  /** The first handshake; rejects when the supervisor ends before there is one. */
  readonly ready: Promise<InitializeResult>;
  /** Resolves when supervision has ended and no process is left; never rejects. */
  readonly done: Promise<void>;
  readonly #options: SupervisorOptions;
  readonly #abort = new AbortController();
  #session: Session | undefined;
  #over = false;
  #greet!: (info: InitializeResult) => void;
  #refuse!: (error: Error) => void;

  /** Starts once `after` has settled: the process of the predecessor must have ended. */
  constructor(options: SupervisorOptions, after: Promise<void>) {
    this.#options = options;
    this.ready = new Promise((resolve, reject) => {
      this.#greet = resolve;
      this.#refuse = reject;
    });
    this.ready.catch(() => undefined); // Not every caller waits for it.
    this.done = after.then(() => this.#supervise());
  }

  /** Whether the sidecar runs or is being started. */
  get active(): boolean {
    return !this.#over && !this.#abort.signal.aborted;
  }

  /** The current connection, if there is one. */
  get session(): Session | undefined {
    return this.#session;
  }

  /** End the sidecar, in whatever state it is. */
  stop(): Promise<void> {
    this.#abort.abort(new SidecarUnavailableError(strings.sidecar.stopped));
    return this.done;
  }

  async #supervise(): Promise<void> {
    const failure = await this.#untilStopped().catch((error: unknown) => error);
    this.#over = true;
    if (failure === undefined) {
      this.#refuse(new SidecarUnavailableError(strings.sidecar.stoppedEarly));
      this.#options.report({ kind: "idle" });
    } else {
      const message = messageOf(failure);
      this.#refuse(failure instanceof Error ? failure : new StartError(message));
      this.#options.report({ kind: "failed", message });
    }
  }

  /** Return when stopped; throw when another try would be useless. */
  async #untilStopped(): Promise<void> {
    const signal = this.#abort.signal;
    while (!signal.aborted) {
      const reason = await this.#serveOnce(signal);
      if (!this.active) {
        return;
      }
      const { inMs } = this.#retryAfter(reason);
      const message = strings.sidecar.crashed(reason, Math.ceil(inMs / 1000));
      this.#options.report({ kind: "restarting", message });
      await pause(inMs, signal);
    }
  }

  /** Return when to try again after a crash; throw when another try would be useless. */
  #retryAfter(reason: string): Retry {
    const fatal = this.#options.explainFatal(reason);
    if (fatal !== undefined) {
      throw new StartError(fatal);
    }
    const { policy } = this.#options;
    const retry = policy.crashed(performance.now());
    if (retry === undefined) {
      throw new StartError(strings.sidecar.gaveUp(policy.crashes, reason));
    }
    return retry;
  }

  /** Run one sidecar to its end and return the reason. */
  async #serveOnce(signal: AbortSignal): Promise<string> {
    this.#options.report({ kind: "starting" });
    let session: Session;
    try {
      session = await this.#options.open(signal);
    } catch (error) {
      if (error instanceof StartError) {
        throw error;
      }
      return messageOf(error);
    }
    return this.#serve(session, signal);
  }

  async #serve(session: Session, signal: AbortSignal): Promise<string> {
    const stopped = whenAborted(signal);
    try {
      this.#session = session;
      this.#greet(session.info);
      this.#options.report({ kind: "running" });
      return await Promise.race([
        session.closed,
        stopped.promise.then(() => strings.sidecar.wasStopped),
      ]);
    } finally {
      this.#session = undefined;
      stopped.forget();
      await session.close();
    }
  }
}
