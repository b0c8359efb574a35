import type { TaskEvent } from "../../protocol.js";
import { oneLine } from "../../text/words.js";

/** What a reader looks for in a turn: a message of theirs, a question, or something that failed. */
export type TurnKind = "plain" | "user" | "failure" | "question";

/** One answer of the agent with the tool calls that follow from it, or a message to the agent. */
export interface Turn {
  /** The event with which it begins. */
  readonly seq: number;
  readonly kind: TurnKind;
  /** How it begins, on one line. */
  readonly text: string;
}

/** A turn, and when it began, in ms since the epoch; 0 if that is unknown. */
export interface TimedTurn extends Turn {
  readonly ts: number;
}

/** How much of a turn is kept, in characters. */
const TEXT_CHARS = 80;
/** Marks of Markdown, which would be read aloud. */
const MARKS = /[#*`_>|]+/gu;

/** Finds the turns of one run in its events, whatever a page has loaded of them. */
export class TurnIndex {
  readonly turns: Turn[] = [];
  readonly #times: number[] = [];
  readonly #asked = new Map<string, number>();
  #lastSeq = 0;
  /** The text of the newest turn while it grows: up to the first call. */
  #text: string | undefined;
  #messageId: string | undefined;
  /** Whether the agent's next words begin a turn. */
  #isOver = true;

  /** The turns with their times. */
  get timed(): TimedTurn[] {
    return this.turns.map((turn, at) => ({ ...turn, ts: this.#times[at] ?? 0 }));
  }

  /** Return the event that asked an open question; undefined if that did not arrive. */
  askedAt(requestId: string): number | undefined {
    return this.#asked.get(requestId);
  }

  /** Take events, in order; return the first turn that changed, or the number of turns. */
  take(events: readonly TaskEvent[]): number {
    const { length } = this.turns;
    const last = this.turns.at(-1);
    for (const event of events) {
      if (event.seq > this.#lastSeq) {
        this.#lastSeq = event.seq;
        this.#note(event);
        while (this.#times.length < this.turns.length) {
          this.#times.push(event.ts);
        }
      }
    }
    return this.turns.at(-1) === last ? length : Math.max(0, length - 1);
  }

  #note(event: TaskEvent): void {
    switch (event.type) {
      case "message":
        this.#say(event.seq, event.text, event.messageId, event.role);
        break;
      case "thought":
        this.#say(event.seq, event.text, event.messageId);
        break;
      case "tool":
        this.#call(event.seq, event.title ?? event.name);
        if (event.status === "failed") {
          this.#mark("failure");
        }
        break;
      case "permission":
      case "question":
        if (event.state === "asked") {
          this.#asked.set(event.requestId, event.seq);
          this.#call(event.seq, event.title);
          this.#mark("question");
        } else {
          this.#asked.delete(event.requestId);
        }
        break;
      case "state":
        if (event.status === "failed") {
          this.#mark("failure");
        }
        break;
      default: // The others are not in the conversation.
    }
  }

  #say(seq: number, text: string, messageId: string, role?: "user"): void {
    if (messageId === this.#messageId) {
      this.#grow(text);
      return;
    }
    this.#messageId = messageId;
    if (this.#isOver || role === "user") {
      this.#begin(seq, role ?? "plain", text);
    } else {
      this.#grow(` ${text}`);
    }
    this.#isOver = role === "user";
  }

  #call(seq: number, name: string): void {
    const last = this.turns.at(-1);
    if (last === undefined || last.kind === "user") {
      this.#begin(seq, "plain", name);
    }
    this.#text = undefined;
    this.#isOver = true;
  }

  #begin(seq: number, kind: TurnKind, text: string): void {
    this.#text = "";
    this.turns.push({ seq, kind, text: "" });
    this.#grow(text);
  }

  #grow(text: string): void {
    const turn = this.turns.at(-1);
    if (turn !== undefined && this.#text !== undefined && this.#text.length < TEXT_CHARS) {
      this.#text = (this.#text + text.slice(0, 2 * TEXT_CHARS).replace(MARKS, "")).trimStart();
      this.turns[this.turns.length - 1] = { ...turn, text: oneLine(this.#text, TEXT_CHARS) };
    }
  }

  /** A question is what a reader looks for first. */
  #mark(kind: "failure" | "question"): void {
    const turn = this.turns.at(-1);
    if (turn !== undefined && turn.kind !== kind && turn.kind !== "question") {
      this.turns[this.turns.length - 1] = { ...turn, kind };
    }
  }
}
