import type { Memento } from "vscode";

import type { SendResult, TaskEvent } from "../protocol.js";
import type { SubagentService } from "./service.js";

const KEY = "queuedMessages";
/** The number of runs whose messages are remembered; the oldest are forgotten. */
const MOST_RUNS = 50;
const PAGE = 500;
/** Clocks of one machine agree, but not to the millisecond. */
const TOLERANCE_MS = 1_000;

/** A message that the sidecar accepted but may not have delivered to the agent. */
interface Queued {
  readonly text: string;
  /** ms since the epoch. */
  readonly sentAt: number;
}

type Stored = Readonly<Record<string, readonly Queued[]>>;

/**
 * The messages to agents, stored in the workspace state until a run's events show their delivery:
 * the user can send again what a closed window or a crash left undelivered.
 */
export class Outbox {
  readonly #memento: Memento;
  readonly #service: SubagentService;

  constructor(memento: Memento, service: SubagentService) {
    this.#memento = memento;
    this.#service = service;
  }

  /** Send a message to a running agent. Rejects without remembering it if it is refused. */
  async send(taskId: string, text: string): Promise<SendResult> {
    await this.#change(taskId, (queued) => [...queued, { text, sentAt: Date.now() }]);
    try {
      const result = await this.#service.request("asyncTasks/send", { taskId, text });
      if (result.delivery === "now") {
        await this.forget(taskId, text);
      }
      return result;
    } catch (error) {
      await this.forget(taskId, text);
      throw error;
    }
  }

  /** Forget messages that the events of a run show to be delivered. */
  async take(taskId: string, events: readonly TaskEvent[]): Promise<void> {
    if (this.#of(taskId).length === 0) {
      return;
    }
    for (const event of events) {
      if (event.type === "message" && event.role === "user") {
        const { text, ts } = event;
        await this.#change(taskId, (queued) =>
          withoutFirst(queued, (each) => each.text === text && ts >= each.sentAt - TOLERANCE_MS),
        );
      }
    }
  }

  /** Return the messages to a run that no event shows to be delivered, oldest first. */
  async undelivered(taskId: string): Promise<string[]> {
    let afterSeq = 0;
    let more = this.#of(taskId).length > 0;
    while (more) {
      const params = { taskId, afterSeq, limit: PAGE };
      const page = await this.#service.request("asyncTasks/events", params);
      await this.take(taskId, page.events);
      afterSeq = page.events.at(-1)?.seq ?? afterSeq;
      more = page.more && page.events.length > 0 && this.#of(taskId).length > 0;
    }
    return this.#of(taskId).map(({ text }) => text);
  }

  /** Forget a message, for example because its author discards it. */
  async forget(taskId: string, text: string): Promise<void> {
    await this.#change(taskId, (queued) => withoutFirst(queued, (each) => each.text === text));
  }

  get #stored(): Stored {
    return this.#memento.get<Stored>(KEY, {});
  }

  #of(taskId: string): readonly Queued[] {
    return this.#stored[taskId] ?? [];
  }

  async #change(
    taskId: string,
    change: (queued: readonly Queued[]) => readonly Queued[],
  ): Promise<void> {
    const before = this.#of(taskId);
    const after = change(before);
    if (after === before) {
      return;
    }
    const others = Object.entries(this.#stored).filter(([id]) => id !== taskId);
    const all = after.length === 0 ? others : [...others, [taskId, after] as const];
    await this.#memento.update(KEY, Object.fromEntries(all.slice(-MOST_RUNS)));
  }
}

function withoutFirst<T>(all: readonly T[], matches: (each: T) => boolean): readonly T[] {
  const at = all.findIndex(matches);
  return at < 0 ? all : all.toSpliced(at, 1);
}
