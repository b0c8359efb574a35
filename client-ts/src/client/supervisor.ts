import type { RestartPolicy } from "./backoff.js";
import { messageOf, SidecarUnavailableError, StartError } from "../util/errors.js";
import type { InitializeResult } from "../protocol.js";
import type { Session } from "./session.js";
import { pause, whenAborted } from "./waiting.js";

/** What a person may be shown of the sidecar. */
export type ClientState =
  | { readonly kind: "stopped" }
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly info: InitializeResult }
  | {
      readonly kind: "restarting";
      readonly attempt: number;
      readonly inMs: number;
      readonly reason: string;
    }
  | { readonly kind: "failed"; readonly reason: string };

export type OpenSession = (signal: AbortSignal) => Promise<Session>;

/** Keeps a sidecar alive from one start to one stop, or until restarting has proved useless. */
export class Supervisor {
  /** The first handshake; rejects when the supervisor ends before there is one. */
  readonly ready: Promise<InitializeResult>;
  /** Resolves when it is over and no process is left; never rejects. */
  readonly done: Promise<void>;
  readonly #open: OpenSession;
  readonly #policy: RestartPolicy;
  readonly #report: (state: ClientState) => void;
  readonly #abort = new AbortController();
  #session: Session | undefined;
  #over = false;
  #greet!: (info: InitializeResult) => void;
  #refuse!: (error: Error) => void;

  /** Starts once `after` is settled: the process of a predecessor must be gone. */
  constructor(
    open: OpenSession,
    policy: RestartPolicy,
    report: (state: ClientState) => void,
    after: Promise<void>,
  ) {
    this.#open = open;
    this.#policy = policy;
    this.#report = report;
    this.ready = new Promise((resolve, reject) => {
      this.#greet = resolve;
      this.#refuse = reject;
    });
    this.ready.catch(() => undefined); // Not everyone who starts a sidecar waits for it.
    this.done = after.then(() => this.#supervise());
  }

  /** Whether it runs, or tries to. */
  get active(): boolean {
    return !this.#over && !this.#abort.signal.aborted;
  }

  /** The connection to ask over, if there is one. */
  get session(): Session | undefined {
    return this.#session;
  }

  /** End the sidecar, in whatever state it is. */
  stop(): Promise<void> {
    this.#abort.abort(new SidecarUnavailableError("The sidecar was stopped."));
    return this.done;
  }

  async #supervise(): Promise<void> {
    const failure = await this.#untilStopped().catch((error: unknown) => error);
    this.#over = true;
    if (failure === undefined) {
      this.#refuse(new SidecarUnavailableError("The sidecar was stopped before it had started."));
      this.#report({ kind: "stopped" });
    } else {
      const reason = messageOf(failure);
      this.#refuse(failure instanceof Error ? failure : new StartError(reason));
      this.#report({ kind: "failed", reason });
    }
  }

  /** Return when stopped; throw when there is no use in going on. */
  async #untilStopped(): Promise<void> {
    const signal = this.#abort.signal;
    while (!signal.aborted) {
      const reason = await this.#serveOnce(signal);
      if (!this.active) {
        return;
      }
      const retry = this.#policy.crashed(performance.now());
      if (retry === undefined) {
        throw new StartError(`The sidecar keeps crashing; the last time it ${reason}`);
      }
      this.#report({ kind: "restarting", ...retry, reason });
      await pause(retry.inMs, signal);
    }
  }

  /** Run one sidecar to its end and return the reason. */
  async #serveOnce(signal: AbortSignal): Promise<string> {
    this.#report({ kind: "starting" });
    let session: Session;
    try {
      session = await this.#open(signal);
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
      this.#report({ kind: "running", info: session.info });
      return await Promise.race([session.closed, stopped.promise.then(() => "was stopped")]);
    } finally {
      this.#session = undefined;
      stopped.forget();
      await session.close();
    }
  }
}
