import type { TaskEvent } from "../../protocol.js";
import type { SubagentService } from "../../service/service.js";
import { eventsAfter } from "./eventPages.js";

/** Reads the events of a run page by page, one page ahead of what was asked for. */
export class ReadAhead {
  readonly #service: SubagentService;
  #next: { taskId: string; seq: number; events: Promise<TaskEvent[]> } | undefined;

  constructor(service: SubagentService) {
    this.#service = service;
  }

  /** Return a page of events right after one, and begin to read the page that follows it. */
  async after(taskId: string, seq: number): Promise<TaskEvent[]> {
    const events = (await this.#ahead(taskId, seq)) ?? (await this.#read(taskId, seq));
    const last = events.at(-1)?.seq;
    if (last !== undefined) {
      this.#next = { taskId, seq: last, events: this.#read(taskId, last) };
      this.#next.events.catch(() => undefined); // Whoever asks for the page reads it again.
    }
    return events;
  }

  /** Return what was read ahead; nothing if it was the end, since there may be more by now. */
  async #ahead(taskId: string, seq: number): Promise<TaskEvent[] | undefined> {
    const next = this.#next;
    this.#next = undefined;
    const isIt = next?.taskId === taskId && next.seq === seq;
    const events = isIt ? await next.events.catch(() => []) : [];
    return events.length === 0 ? undefined : events;
  }

  #read(taskId: string, seq: number): Promise<TaskEvent[]> {
    return eventsAfter(this.#service, taskId, seq);
  }
}
