import { EventEmitter } from "vscode";

import type { MessagesParams, StoredMessage, TasksDidChange } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";
import { pageIdOf } from "../../../src/storedRef.js";
import { storedTask } from "../tasks.js";

/** The id under which a page knows the task. */
export const PAGE_ID = pageIdOf({ id: "t", root: "/r" });

/** Messages of an assistant with these numbers, each at its place in the file. */
export function numbered(first: number, last: number, word = "Message"): StoredMessage[] {
  return Array.from({ length: last - first + 1 }, (_, at) => {
    const index = first + at - 1;
    return { index, ts: index, role: "assistant", kind: "text", text: `${word} ${index + 1}` };
  });
}

/** A sidecar with one stored task, whose messages it answers in pages from either end. */
export class StoredTaskFake {
  /** How many messages each page had that was read. */
  readonly read: number[] = [];
  readonly #changes = new EventEmitter<TasksDidChange>();
  #messages: readonly StoredMessage[];

  constructor(messages: readonly StoredMessage[]) {
    this.#messages = messages;
  }

  get service(): SubagentService {
    const request = (method: string, params: object) =>
      Promise.resolve(this.#answer(method, params));
    return { request, onDidChangeHistory: this.#changes.event } as unknown as SubagentService;
  }

  /** Give the task other messages, and announce a change of these tasks. */
  change(messages: readonly StoredMessage[], changed = ["t"]): void {
    this.#messages = messages;
    this.#changes.fire({ revision: 2, added: [], changed, removed: [] });
  }

  #answer(method: string, params: object): object {
    return method === "tasks/get"
      ? { task: storedTask("t", { title: "Mend the roof" }), revision: 1 }
      : this.#page(params as MessagesParams);
  }

  #page({ from = "start", cursor, limit = 200 }: MessagesParams): object {
    const total = this.#messages.length;
    const at = cursor === undefined ? undefined : Math.min(Number(cursor), total);
    const end = from === "end" ? (at ?? total) : Math.min((at ?? 0) + limit, total);
    const start = from === "end" ? Math.max(end - limit, 0) : (at ?? 0);
    const next = from === "end" ? start : end;
    const isLast = from === "end" ? start === 0 : end === total;
    this.read.push(end - start);
    const messages = this.#messages.slice(start, end);
    return { messages, total, revision: 1, ...(isLast ? {} : { nextCursor: String(next) }) };
  }
}
