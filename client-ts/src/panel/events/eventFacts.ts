import type { TaskEvent } from "../../protocol.js";
import { lastOf } from "../../text/cutting.js";
import { setVariable } from "./variables.js";

/** How much of the error output is kept from omitted events, in characters. */
const LOG_CHARS = 16_000;

/**
 * Collects what the page needs from events that it does not receive: the newest plan, usage,
 * variables (as many as it shows) and result, the end of the error output, open questions, and the user's messages.
 */
export class EventFacts {
  #plan: TaskEvent | undefined;
  #usage: Extract<TaskEvent, { type: "usage" }> | undefined;
  #result: TaskEvent | undefined;
  readonly #emitted = new Map<string, TaskEvent>();
  readonly #questions = new Map<string, TaskEvent>();
  #messages: TaskEvent[] = [];
  #log: Extract<TaskEvent, { type: "log" }> | undefined;

  take(event: TaskEvent): void {
    switch (event.type) {
      case "plan":
        this.#plan = event;
        break;
      case "usage":
        this.#usage = { ...this.#usage, ...event };
        break;
      case "result":
        this.#result = event;
        break;
      case "emit":
        setVariable(this.#emitted, event.name, event);
        break;
      case "permission":
      case "question":
        this.#ask(event);
        break;
      case "log":
        this.#log = { ...event, text: lastOf((this.#log?.text ?? "") + event.text, LOG_CHARS) };
        break;
      case "message":
        if (event.role === "user") {
          this.#messages.push(event);
        }
        break;
      default: // Calls and thoughts are read in place; the state comes with the task.
    }
  }

  /** Return what was taken since the last call, in order. */
  drain(): TaskEvent[] {
    const single = [this.#plan, this.#usage, this.#result, this.#log];
    const many = [...this.#emitted.values(), ...this.#questions.values(), ...this.#messages];
    this.#plan = this.#usage = this.#result = this.#log = undefined;
    this.#emitted.clear();
    this.#questions.clear();
    this.#messages = [];
    const all = [...single.filter((event) => event !== undefined), ...many];
    return all.sort((one, other) => one.seq - other.seq);
  }

  #ask(event: Extract<TaskEvent, { type: "permission" | "question" }>): void {
    // An answer counts even if its question is omitted: the page may already show it.
    this.#questions.set(event.requestId, event);
  }
}
