import type { TaskEvent } from "../protocol.js";

/** How much of the error output outlives events that are left out, in characters. */
const LOG_CHARS = 16_000;

/**
 * What remains of events that the page does not get: what a reader must know of a run wherever they
 * read in it, which is its newest plan, usage, variables and result, the end of its error output,
 * the questions still open, and what people said to it.
 */
export class EventFacts {
  #plan: TaskEvent | undefined;
  #usage: Extract<TaskEvent, { type: "usage" }> | undefined;
  #result: TaskEvent | undefined;
  readonly #emitted = new Map<string, TaskEvent>();
  readonly #questions = new Map<string, TaskEvent>();
  #said: TaskEvent[] = [];
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
        this.#emitted.set(event.name, event);
        break;
      case "permission":
        this.#ask(event);
        break;
      case "log":
        this.#log = { ...event, text: ((this.#log?.text ?? "") + event.text).slice(-LOG_CHARS) };
        break;
      case "message":
        if (event.role === "user") {
          this.#said.push(event);
        }
        break;
      default: // A call or a thought is read where it stands; a state comes with the task.
    }
  }

  /** Hand over what was taken since the last call, in order. */
  drain(): TaskEvent[] {
    const single = [this.#plan, this.#usage, this.#result, this.#log];
    const many = [...this.#emitted.values(), ...this.#questions.values(), ...this.#said];
    this.#plan = this.#usage = this.#result = this.#log = undefined;
    this.#emitted.clear();
    this.#questions.clear();
    this.#said = [];
    const all = [...single.filter((event) => event !== undefined), ...many];
    return all.sort((one, other) => one.seq - other.seq);
  }

  #ask(event: Extract<TaskEvent, { type: "permission" }>): void {
    // An answer counts even where its question is left out: the page may have shown it before.
    this.#questions.set(event.requestId, event);
  }
}
