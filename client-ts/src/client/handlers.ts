import { type CancellationToken, ErrorCodes, ResponseError } from "vscode-jsonrpc/node";

import { type Disposable, Listeners } from "./listeners.js";
import type { ServerNotifications, ServerRequests } from "../protocol.js";

type Awaitable<T> = T | Promise<T>;

export type RequestHandler<M extends keyof ServerRequests> = (
  params: ServerRequests[M]["params"],
  token: CancellationToken,
) => Awaitable<ServerRequests[M]["result"]>;

/** Who wants what the sidecar sends; outlives any one connection. */
export class Handlers {
  readonly #notifications = new Map<string, Listeners<unknown>>();
  readonly #requests = new Map<string, (params: unknown, token: CancellationToken) => unknown>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  onNotification<M extends keyof ServerNotifications>(
    method: M,
    listener: (params: ServerNotifications[M]["params"]) => void,
  ): Disposable {
    let listeners = this.#notifications.get(method);
    if (listeners === undefined) {
      listeners = new Listeners(this.#onError);
      this.#notifications.set(method, listeners);
    }
    return listeners.event((params) => {
      listener(params as ServerNotifications[M]["params"]);
    });
  }

  /** Answer a request of the sidecar; a method has one handler, and a second one throws. */
  onRequest<M extends keyof ServerRequests>(method: M, handler: RequestHandler<M>): Disposable {
    if (this.#requests.has(method)) {
      throw new Error(`${method} has a handler already; dispose of that one first`);
    }
    this.#requests.set(method, (params, token) =>
      handler(params as ServerRequests[M]["params"], token),
    );
    return { dispose: () => this.#requests.delete(method) };
  }

  notified(method: string, params: unknown): void {
    this.#notifications.get(method)?.fire(params);
  }

  asked(method: string, params: unknown, token: CancellationToken): unknown {
    const handler = this.#requests.get(method);
    return handler === undefined
      ? new ResponseError(ErrorCodes.MethodNotFound, `The client does not handle ${method}`)
      : handler(params, token);
  }
}
