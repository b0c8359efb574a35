import type {
  MessageEvent,
  PermissionEvent,
  PlanEntry,
  TaskEvent,
  ThoughtEvent,
  ToolEvent,
  UsageEvent,
} from "../../src/protocol.js";
import { appendToBlock, type Block } from "./blocks.js";
import { charsOf, type Item, type MessageItem } from "./items.js";
import { omit } from "./omit.js";
import { type Question, questionAfter } from "./question.js";
import { appendToTail, EMPTY_TAIL, type TextTail } from "./textTail.js";
import { beginTool, continueTool } from "./toolItem.js";

/** Beyond this many items or characters the oldest items go; the transcript has them all. */
export const MAX_ITEMS = 20_000;
export const MAX_CHARS = 4_000_000;

/** Tokens, cost (USD) and the fill of the model's window as last told. */
export type Usage = Partial<Omit<UsageEvent, "type" | "seq" | "ts">>;

/** What the events of one run amount to, for a reader. Item `n` of the run is `items[n - dropped]`. */
export interface Conversation {
  readonly dropped: number;
  readonly items: readonly Item[];
  readonly chars: number;
  readonly log: TextTail;
  readonly variables: ReadonlyMap<string, unknown>;
  readonly result?: string;
  readonly usage?: Usage;
  readonly plan?: readonly PlanEntry[];
  /** Where the questions are that nobody has answered, by their ids. */
  readonly questions: ReadonlyMap<string, number>;
  /** Where the newest block of each message is. */
  readonly tails: ReadonlyMap<string, number>;
  /** Where the calls are that have not ended, by id or, without one, by name. */
  readonly calls: ReadonlyMap<string, readonly number[]>;
}

export const EMPTY_CONVERSATION: Conversation = {
  dropped: 0,
  items: [],
  chars: 0,
  log: EMPTY_TAIL,
  variables: new Map(),
  questions: new Map(),
  tails: new Map(),
  calls: new Map(),
};

/** Add events, in order and each once, to what those before them amounted to. */
export function applyEvents(before: Conversation, events: readonly TaskEvent[]): Conversation {
  const draft = new Draft(before);
  for (const event of events) {
    draft.apply(event);
  }
  return draft.finish();
}

/** How many items the run has had, those dropped included. */
export function itemCount({ dropped, items }: Conversation): number {
  return dropped + items.length;
}

/** A copy of a conversation that may be written to, so that a batch is copied once. */
class Draft {
  #items: Item[];
  #dropped: number;
  #chars: number;
  #log: TextTail;
  #result: string | undefined;
  #usage: Usage | undefined;
  #plan: readonly PlanEntry[] | undefined;
  readonly #questions: Map<string, number>;
  readonly #variables: Map<string, unknown>;
  readonly #tails: Map<string, number>;
  readonly #calls: Map<string, readonly number[]>;

  constructor(before: Conversation) {
    this.#items = [...before.items];
    this.#dropped = before.dropped;
    this.#chars = before.chars;
    this.#log = before.log;
    this.#result = before.result;
    this.#usage = before.usage;
    this.#plan = before.plan;
    this.#questions = new Map(before.questions);
    this.#variables = new Map(before.variables);
    this.#tails = new Map(before.tails);
    this.#calls = new Map(before.calls);
  }

  apply(event: TaskEvent): void {
    switch (event.type) {
      case "message":
        this.#message(event);
        break;
      case "thought":
        this.#think(event);
        break;
      case "tool":
        this.#tool(event);
        break;
      case "permission":
        this.#ask(event);
        break;
      case "plan":
        this.#plan = event.entries;
        break;
      case "usage":
        this.#count(event);
        break;
      case "emit":
        this.#variables.set(event.name, event.value);
        break;
      case "result":
        this.#result = event.text;
        break;
      case "log":
        this.#log = appendToTail(this.#log, event.text);
        break;
      default: // States come with the task.
    }
  }

  finish(): Conversation {
    this.#trim();
    return {
      dropped: this.#dropped,
      items: this.#items,
      chars: this.#chars,
      log: this.#log,
      variables: this.#variables,
      questions: this.#questions,
      tails: this.#tails,
      calls: this.#calls,
      ...(this.#result === undefined ? {} : { result: this.#result }),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      ...(this.#plan === undefined ? {} : { plan: this.#plan }),
    };
  }

  #message({ messageId, ts, text, role }: MessageEvent): void {
    if (role === "user") {
      this.#add({ kind: "sent", ts, text });
      return;
    }
    const at = this.#tails.get(messageId) ?? this.#continued(messageId, text);
    const tail = at === undefined ? undefined : this.#itemAt(at);
    if (at === undefined || tail?.kind !== "message") {
      this.#addBlocks(messageId, ts, appendToBlock({ text: "" }, text));
      return;
    }
    const [first, ...further] = appendToBlock(tail.block, text);
    if (first !== undefined) {
      this.#set(at, { ...tail, messageId, block: first });
    }
    this.#addBlocks(messageId, ts, further);
  }

  /** Where the message is that this text reads on from: a stream told piece by piece is one text. */
  #continued(messageId: string, text: string): number | undefined {
    const last = this.#items.at(-1);
    if (last?.kind !== "message" || !readsOn(last, text)) {
      return undefined;
    }
    this.#tails.delete(last.messageId);
    this.#tails.set(messageId, this.#lastAt);
    return this.#lastAt;
  }

  #addBlocks(messageId: string, ts: number, blocks: readonly Block[]): void {
    for (const block of blocks) {
      this.#tails.set(messageId, this.#add({ kind: "message", messageId, ts, block }));
    }
  }

  /** Thoughts that follow each other are one item. */
  #think({ messageId, ts, text }: ThoughtEvent): void {
    const last = this.#items.at(-1);
    if (last?.kind !== "thought") {
      this.#add({ kind: "thought", messageId, ts, text: appendToTail(EMPTY_TAIL, text) });
      return;
    }
    const piece = last.messageId === messageId ? text : `\n\n${text}`;
    this.#set(this.#lastAt, { ...last, messageId, text: appendToTail(last.text, piece) });
  }

  /** Without an id, a start begins another call, and an end is that of the oldest. */
  #tool(event: ToolEvent): void {
    const { toolCallId, name, status } = event;
    const key = toolCallId ?? `name ${name}`;
    const open = this.#calls.get(key) ?? [];
    const at = status !== "started" || toolCallId !== undefined ? open[0] : undefined;
    if (at === undefined) {
      const begun = this.#add(beginTool(event));
      this.#setCalls(key, status === "started" ? [...open, begun] : open);
      return;
    }
    const call = this.#itemAt(at);
    if (call?.kind === "tool") {
      this.#set(at, continueTool(call, event));
    }
    this.#setCalls(key, status === "started" ? open : open.slice(1));
  }

  /** Put a question to the call it is about, or by itself where there is none. */
  #ask(event: PermissionEvent): void {
    const { requestId, toolCallId = "", ts } = event;
    const known = this.#questions.get(requestId) ?? this.#calls.get(toolCallId)?.[0];
    const item = known === undefined ? undefined : this.#itemAt(known);
    const question = questionAfter(questionOf(item, requestId), event);
    const at = known ?? this.#add({ kind: "question", ts, question });
    if (item?.kind === "tool" || item?.kind === "question") {
      this.#set(at, { ...item, question });
    }
    if (event.state === "asked") {
      this.#questions.set(requestId, at);
    } else {
      this.#questions.delete(requestId);
    }
  }

  #setCalls(key: string, open: readonly number[]): void {
    if (open.length === 0) {
      this.#calls.delete(key);
    } else {
      this.#calls.set(key, open);
    }
  }

  #count(event: UsageEvent): void {
    this.#usage = { ...this.#usage, ...omit(omit(omit(event, "type"), "seq"), "ts") };
  }

  get #lastAt(): number {
    return this.#dropped + this.#items.length - 1;
  }

  #itemAt(at: number): Item | undefined {
    return this.#items[at - this.#dropped];
  }

  #set(at: number, item: Item): void {
    this.#chars += charsOf(item) - charsOf(this.#itemAt(at));
    this.#items[at - this.#dropped] = item;
  }

  #add(item: Item): number {
    this.#chars += charsOf(item);
    this.#items.push(item);
    return this.#lastAt;
  }

  /** Drop the oldest items, a tenth more than needed so that it happens seldom. */
  #trim(): void {
    if (this.#items.length <= MAX_ITEMS && this.#chars <= MAX_CHARS) {
      return;
    }
    let drop = 0;
    while (this.#items.length - drop > MAX_ITEMS * 0.9 || this.#chars > MAX_CHARS * 0.9) {
      this.#chars -= charsOf(this.#items[drop]);
      drop += 1;
    }
    this.#items = this.#items.slice(drop);
    this.#dropped += drop;
    this.#forgetDropped();
  }

  #forgetDropped(): void {
    for (const [messageId, at] of this.#tails) {
      if (at < this.#dropped) {
        this.#tails.delete(messageId);
      }
    }
  }
}

function questionOf(item: Item | undefined, requestId: string): Question | undefined {
  const known = item?.kind === "tool" || item?.kind === "question" ? item.question : undefined;
  return known?.requestId === requestId ? known : undefined;
}

/** Whether a text goes on in the middle of what a message says, by the blank between them. */
function readsOn({ block }: MessageItem, text: string): boolean {
  return /\s$/u.test(block.text.slice(-1)) || /^[\s.,;:!?)\]}]/u.test(text);
}
