import type { CancellationToken } from "vscode";
import type { Disposable } from "vscode-jsonrpc/node";

import type { Requests, TasksDidChange } from "../protocol.js";
import type { RunEvent, SubagentService } from "../service/service.js";
import { concerns, storedRef } from "../storedRef.js";
import { taskParams, type TaskRef } from "../taskRef.js";
import { coalesced, Throttle } from "../util/coalesce.js";
import { grownLog, newLog, type StoredLog } from "./storedLog.js";
import { readGrown, readTask } from "./storedReading.js";
import { runOf } from "./storedRun.js";

const PAGE = 500;
/** How many conversations are kept, so that a page can scroll without reading them again. */
const MOST_KEPT = 4;
/** How often a conversation that changes is read again, in ms. */
const UPDATE_MS = 1_000;

/** A page that shows a stored task, and how much of it was delivered. */
interface Follower {
  seq: number;
  readonly onEvents: (events: RunEvent[]) => void;
  readonly onRestart: () => void;
}

/**
 * Answers requests about stored tasks as the sidecar answers those about runs; passes on the rest. What
 * a task gains while a page follows it is delivered like the events of a run.
 */
export class StoredConversations implements Disposable {
  readonly #service: SubagentService;
  readonly #kept = new Map<string, Promise<StoredLog>>();
  readonly #followers = new Map<string, Set<Follower>>();
  readonly #subscription: Disposable;
  readonly #update = coalesced(() => this.#readChanged());
  readonly #soon = new Throttle(UPDATE_MS, () => void this.#update());
  /** The pages' ids of followed tasks that changed since they were read. */
  readonly #changed = new Set<string>();

  constructor(service: SubagentService) {
    this.#service = service;
    this.#subscription = service.onDidChangeHistory((change) => {
      this.#historyChanged(change);
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#soon.dispose();
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
        const { events: all } = await this.#log(taskId, ref);
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

  #follow(
    taskId: string,
    afterSeq: number,
    onEvents: (events: RunEvent[]) => void,
    onRestart: () => void = () => undefined,
  ): Disposable {
    const ref = storedRef(taskId);
    if (ref === undefined) {
      return this.#service.follow(taskId, afterSeq, onEvents);
    }
    const follower = { seq: afterSeq, onEvents, onRestart };
    const followers = this.#followers.get(taskId) ?? new Set<Follower>();
    this.#followers.set(taskId, followers.add(follower));
    void this.#log(taskId, ref).then(
      (log) => {
        this.#deliver(taskId, log);
      },
      () => undefined, // The page reports it when it reads the task.
    );
    return {
      dispose: () => {
        followers.delete(follower);
        if (followers.size === 0 && this.#followers.get(taskId) === followers) {
          this.#followers.delete(taskId);
        }
      },
    };
  }

  /** Give each page what it does not have yet. */
  #deliver(pageId: string, { events }: StoredLog): void {
    for (const follower of this.#followers.get(pageId) ?? []) {
      const more = events.slice(follower.seq);
      if (more.length > 0) {
        follower.seq = events.length;
        follower.onEvents(more);
      }
    }
  }

  /** Forget what changed; what is followed is read again. */
  #historyChanged(change: TasksDidChange): void {
    for (const pageId of [...this.#kept.keys(), ...this.#followers.keys()]) {
      const ref = storedRef(pageId);
      if (ref === undefined || !concerns(change, ref)) {
        continue;
      }
      if (this.#followers.has(pageId)) {
        this.#changed.add(pageId);
        this.#soon.call();
      } else {
        this.#kept.delete(pageId);
      }
    }
  }

  async #readChanged(): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    await Promise.all(changed.map((pageId) => this.#readAgain(pageId)));
  }

  async #readAgain(pageId: string): Promise<void> {
    const ref = storedRef(pageId);
    const kept = this.#kept.get(pageId);
    try {
      const before = await kept?.catch(() => undefined);
      const read = ref && (await this.#read(ref, before));
      if (read === undefined || this.#kept.get(pageId) !== kept) {
        return;
      }
      const grown = before && grownLog(before, read);
      const log = grown ?? read;
      void this.#keep(pageId, Promise.resolve(log));
      if (before !== undefined && grown === undefined) {
        this.#restart(pageId);
      } else {
        this.#deliver(pageId, log);
      }
    } catch {
      // The task is gone or the sidecar is not running: what the page shows stays.
    }
  }

  /** Make the pages begin again. */
  #restart(pageId: string): void {
    for (const follower of [...(this.#followers.get(pageId) ?? [])]) {
      follower.seq = Infinity;
      follower.onRestart();
    }
  }

  #log(pageId: string, ref: TaskRef): Promise<StoredLog> {
    return this.#keep(pageId, this.#kept.get(pageId) ?? this.#read(ref));
  }

  #keep(pageId: string, log: Promise<StoredLog>): Promise<StoredLog> {
    this.#kept.delete(pageId);
    this.#kept.set(pageId, log);
    log.catch(() => this.#kept.delete(pageId));
    const others = [...this.#kept.keys()].filter((each) => !this.#followers.has(each));
    for (const oldest of others.slice(0, -MOST_KEPT)) {
      this.#kept.delete(oldest);
    }
    return log;
  }

  /** Read a task, or what it has gained. */
  async #read(ref: TaskRef, before?: StoredLog): Promise<StoredLog> {
    const service = this.#service;
    return newLog(
      await (before ? readGrown(service, ref, before.reading) : readTask(service, ref)),
    );
  }
}
