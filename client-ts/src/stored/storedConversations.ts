import type { CancellationToken } from "vscode";
import type { Disposable } from "vscode-jsonrpc/node";

import type { Requests, StoredMessage, TaskEvent } from "../protocol.js";
import type { RunEvent, SubagentService } from "../service/service.js";
import { taskParams, type TaskRef } from "../taskRef.js";
import { eventsOf } from "./storedEvents.js";
import { runOf, storedRef } from "./storedRun.js";

const PAGE = 500;
/** A conversation with more messages than this shows the newest of them. */
const MOST_MESSAGES = 20_000;
/** How many conversations are kept, so that a page can scroll without reading them again. */
const MOST_KEPT = 4;

/** Answers requests about stored tasks as the sidecar answers those about runs; passes on the rest. */
export class StoredConversations {
  readonly #service: SubagentService;
  readonly #kept = new Map<string, Promise<readonly TaskEvent[]>>();

  constructor(service: SubagentService) {
    this.#service = service;
  }

  /** The service with stored tasks among its runs. */
  get service(): SubagentService {
    const request = this.#request.bind(this) as SubagentService["request"];
    const follow = this.#follow.bind(this);
    return new Proxy(this.#service, {
      get: (service, name) => {
        if (name === "request" || name === "follow") {
          return name === "request" ? request : follow;
        }
        const value: unknown = Reflect.get(service, name, service);
        return typeof value === "function" ? (value.bind(service) as unknown) : value;
      },
    });
  }

  async #request<M extends keyof Requests>(
    method: M,
    params: Requests[M]["params"],
    token?: CancellationToken,
  ): Promise<unknown> {
    const { taskId, afterSeq = 0, limit = PAGE } = params as Record<string, unknown>;
    const ref = typeof taskId === "string" ? storedRef(taskId) : undefined;
    if (ref === undefined || typeof taskId !== "string") {
      return this.#service.request(method, params, token);
    }
    switch (method) {
      case "asyncTasks/get": {
        const { task, revision } = await this.#service.request("tasks/get", taskParams(ref));
        return { task: runOf(taskId, task), revision };
      }
      case "asyncTasks/events": {
        const all = await this.#events(taskId, ref);
        const events = all.slice(Number(afterSeq), Number(afterSeq) + Number(limit));
        const lastSeq = all.length;
        return { events, lastSeq, more: Number(afterSeq) + events.length < lastSeq, revision: 0 };
      }
      case "tasks/files":
        return this.#service.request("tasks/files", taskParams(ref));
      default:
        return this.#service.request(method, params, token);
    }
  }

  #follow(taskId: string, afterSeq: number, onEvents: (events: RunEvent[]) => void): Disposable {
    const ref = storedRef(taskId);
    if (ref === undefined) {
      return this.#service.follow(taskId, afterSeq, onEvents);
    }
    let isWanted = true;
    void this.#events(taskId, ref).then(
      (events) => {
        if (isWanted && events.length > afterSeq) {
          onEvents(events.slice(afterSeq));
        }
      },
      () => undefined, // The page reports it when it reads the task.
    );
    return {
      dispose: () => {
        isWanted = false;
      },
    };
  }

  #events(pageId: string, ref: TaskRef): Promise<readonly TaskEvent[]> {
    const known = this.#kept.get(pageId) ?? this.#read(ref);
    this.#kept.delete(pageId);
    this.#kept.set(pageId, known);
    known.catch(() => this.#kept.delete(pageId));
    for (const [oldest] of [...this.#kept].slice(0, -MOST_KEPT)) {
      this.#kept.delete(oldest);
    }
    return known;
  }

  async #read(ref: TaskRef): Promise<readonly TaskEvent[]> {
    const params = taskParams(ref);
    const { task } = await this.#service.request("tasks/get", params);
    const messages: StoredMessage[] = [];
    let cursor: string | undefined;
    do {
      const next = cursor === undefined ? {} : { cursor };
      const page = { ...params, kind: "ui" as const, limit: PAGE, ...next };
      const read = await this.#service.request("tasks/messages", page);
      messages.push(...read.messages);
      cursor = read.nextCursor;
    } while (cursor !== undefined && messages.length < MOST_MESSAGES);
    return eventsOf(messages, 1, task.title);
  }
}
