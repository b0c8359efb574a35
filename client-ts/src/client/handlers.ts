import {
  type CancellationToken,
  type Disposable,
  Emitter,
  ErrorCodes,
  ResponseError,
} from "vscode-jsonrpc/node";

import type { ServerNotifications, ServerRequests } from "../protocol.js";

type Awaitable<T> = T | Promise<T>;

export type RequestHandler<M extends keyof ServerRequests> = (
  params: ServerRequests[M]["params"],
  token: CancellationToken,
) => Awaitable<ServerRequests[M]["result"]>;

/** The handlers of what the sidecar sends; they outlive a connection. */
export class Handlers {
  readonly #notifications = new Map<string, Emitter<unknown>>();
  readonly #requests = new Map<string, (params: unknown, token: CancellationToken) => unknown>();

  onNotification<M extends keyof ServerNotifications>(
    method: M,
    listener: (params: ServerNotifications[M]["params"]) => void,
  ): Disposable {
    const emitter = this.#notifications.get(method) ?? new Emitter<unknown>();
    this.#notifications.set(method, emitter);
    return emitter.event((params) => {
      listener(params as ServerNotifications[M]["params"]);
    });
  }

  /** Answer a request of the sidecar; a method has one handler, and a second one throws. */
  onRequest<M extends keyof ServerRequests>(method: M, handler: RequestHandler<M>): Disposable {
    if (this.#requests.has(method)) {
      throw new Error(`${method} already has a handler; dispose of that one first`);
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
