import {
  createMessageConnection,
  type CancellationToken,
  type MessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";

import { messageOf, StartError } from "../util/errors.js";
import { type InitializeParams, type InitializeResult, PROTOCOL_VERSION } from "../protocol.js";
import {
  DEFAULT_STOP_LIMITS,
  type SidecarCommand,
  SidecarProcess,
  type StopLimits,
} from "./sidecarProcess.js";
import { abortable, settlesWithin } from "./waiting.js";
import * as strings from "../text/strings.js";

/** One initialized connection to one sidecar process. */
export interface Session {
  readonly info: InitializeResult;
  readonly pid: number | undefined;
  /** Resolves with the reason when the connection ends, whoever ends it. */
  readonly closed: Promise<string>;
  request(method: string, params: object, token?: CancellationToken): Promise<unknown>;
  notify(method: string, params: object): Promise<void>;
  /** End the process, gracefully if possible; idempotent, bounded, never rejects. */
  close(): Promise<void>;
}

/** The receiver of what the sidecar sends. */
export interface Peer {
  notified(method: string, params: unknown): void;
  asked(method: string, params: unknown, token: CancellationToken): unknown;
  stderr(line: string): void;
}

export interface SessionOptions {
  readonly command: SidecarCommand;
  /** Called at every start: trust and folders may have changed. */
  readonly initialize: () => Omit<InitializeParams, "protocolVersion" | "processId">;
  /** Limit for the answer to `initialize`, in ms; the sidecar removes leftovers first. */
  readonly initializeMs?: number;
  readonly stop?: Partial<StopLimits>;
}

const INITIALIZE_MS = 30_000;
/** How long a process may outlive its stdout before that counts as the reason, in ms. */
const EXIT_AFTER_CLOSE_MS = 500;

/**
 * Start a sidecar and initialize it. When the promise rejects, its process has ended; the error is a
 * StartError if another try would fail the same way.
 */
export async function openSession(
  options: SessionOptions,
  peer: Peer,
  signal: AbortSignal,
): Promise<Session> {
  const child = await SidecarProcess.spawn(options.command, (line) => {
    peer.stderr(line);
  });
  const limits = { ...DEFAULT_STOP_LIMITS, ...options.stop };
  const wire = new Wire(child, peer, limits);
  try {
    const info = await initialize(wire, options, signal);
    return Object.assign(wire, { info });
  } catch (error) {
    await wire.close();
    throw error;
  }
}

async function initialize(
  wire: Wire,
  options: SessionOptions,
  signal: AbortSignal,
): Promise<InitializeResult> {
  const ms = options.initializeMs ?? INITIALIZE_MS;
  const timeout = AbortSignal.timeout(ms);
  const params = {
    ...options.initialize(),
    protocolVersion: PROTOCOL_VERSION,
    processId: process.pid,
  };
  const lost = wire.closed.then((reason) => Promise.reject(new Error(reason)));
  try {
    const answer = Promise.race([wire.request("initialize", params), lost]);
    return checkVersion(await abortable(answer, AbortSignal.any([signal, timeout])));
  } catch (error) {
    if (error instanceof ResponseError) {
      throw new StartError(strings.sidecar.refused(error.message));
    }
    throw timeout.aborted ? new Error(strings.sidecar.noAnswer(ms / 1_000)) : error;
  }
}

function checkVersion(answer: unknown): InitializeResult {
  const info = answer as InitializeResult;
  if (info.protocolVersion !== PROTOCOL_VERSION) {
    throw new StartError(strings.sidecar.wrongVersion(info.protocolVersion, PROTOCOL_VERSION));
  }
  return info;
}

/** A connection over the pipes of a process; a Session once it is initialized. */
class Wire implements Omit<Session, "info"> {
  readonly closed: Promise<string>;
  readonly #process: SidecarProcess;
  readonly #connection: MessageConnection;
  readonly #limits: StopLimits;
  #closing: Promise<void> | undefined;

  constructor(child: SidecarProcess, peer: Peer, limits: StopLimits) {
    this.#process = child;
    this.#limits = limits;
    const reader = new StreamMessageReader(child.stdout);
    reader.partialMessageTimeout = 0; // Its timer would outlive a process that is killed in the middle of a message.
    const writer = new StreamMessageWriter(child.stdin);
    this.#connection = createMessageConnection(reader, writer);
    this.closed = this.#watchEnd();
    this.#listen(peer);
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  request(method: string, params: object, token?: CancellationToken): Promise<unknown> {
    return token === undefined
      ? this.#connection.sendRequest(method, params)
      : this.#connection.sendRequest(method, params, token);
  }

  notify(method: string, params: object): Promise<void> {
    return this.#connection.sendNotification(method, params);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const shutdown = this.#shutDown();
    await settlesWithin(Promise.race([shutdown, this.closed]), this.#limits.shutdownMs);
    await this.#process.end(this.#limits);
    this.#connection.dispose();
  }

  async #shutDown(): Promise<void> {
    await this.request("shutdown", {});
    await this.notify("exit", {});
  }

  #watchEnd(): Promise<string> {
    return new Promise((resolve) => {
      void this.#process.exited.then(resolve);
      this.#connection.onClose(() => {
        void settlesWithin(this.#process.exited, EXIT_AFTER_CLOSE_MS).then(() => {
          resolve(strings.sidecar.closedOutput);
        });
      });
      this.#connection.onError(([error, message]) => {
        if (message === undefined) {
          // The reader lost its position in the stream: nothing that follows can be trusted.
          resolve(strings.sidecar.invalidMessage(messageOf(error)));
        }
      });
    });
  }

  #listen(peer: Peer): void {
    this.#connection.onNotification((method, params) => {
      peer.notified(method, params);
    });
    this.#connection.onUnhandledProgress((progress) => {
      peer.notified("$/progress", progress);
    });
    this.#connection.onRequest((method, params, token) => peer.asked(method, params, token));
    this.#connection.listen();
  }
}
