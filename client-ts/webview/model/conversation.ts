import type {
  EmitEvent,
  LogEvent,
  MessageEvent,
  ResultEvent,
  TaskEvent,
  ToolEvent,
  UsageEvent,
} from "../../src/protocol.js";
import { appendToBlock, type Block } from "./blocks.js";
import { appendToTail, EMPTY_TAIL, type TextTail } from "./textTail.js";

/** Beyond this many items or characters the oldest items go; the transcript has them all. */
export const MAX_ITEMS = 20_000;
export const MAX_CHARS = 4_000_000;

/** A message, or a part of a long one. */
export interface MessageItem {
  readonly kind: "message";
  readonly messageId: string;
  readonly ts: number;
  readonly block: Block;
}

/** A tool call; without an `endedAt` it is under way. Times in ms since the epoch. */
export interface ToolItem {
  readonly kind: "tool";
  readonly name: string;
  readonly status: ToolEvent["status"];
  readonly ts: number;
  readonly endedAt?: number;
}

export type Item = MessageItem | ToolItem;

/** Tokens and cost (USD) as last told. */
export type Usage = Pick<UsageEvent, "inputTokens" | "outputTokens" | "cost">;

/** What the events of one run amount to, for a reader. Item `n` of the run is `items[n - dropped]`. */
export interface Conversation {
  readonly dropped: number;
  readonly items: readonly Item[];
  readonly chars: number;
  readonly log: TextTail;
  readonly variables: ReadonlyMap<string, unknown>;
  readonly result?: string;
  readonly usage?: Usage;
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
    this.#variables = new Map(before.variables);
    this.#tails = new Map(before.tails);
    this.#calls = new Map(before.calls);
  }

  apply(event: TaskEvent): void {
    switch (event.type) {
      case "message":
        this.#message(event);
        break;
      case "tool":
        this.#tool(event);
        break;
      case "usage":
        this.#count(event);
        break;
      case "emit":
        this.#emit(event);
        break;
      case "result":
        this.#end(event);
        break;
      case "log":
        this.#write(event);
        break;
      default: // States and questions come with the task; thoughts and plans are not shown.
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
      tails: this.#tails,
      calls: this.#calls,
      ...(this.#result === undefined ? {} : { result: this.#result }),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
    };
  }

  #message({ messageId, ts, text }: MessageEvent): void {
    const at = this.#tails.get(messageId);
    const tail = at === undefined ? undefined : this.#items[at - this.#dropped];
    this.#chars += text.length;
    if (at === undefined || tail?.kind !== "message") {
      this.#addBlocks(messageId, ts, appendToBlock({ text: "" }, text));
      return;
    }
    const [first, ...further] = appendToBlock(tail.block, text);
    if (first !== undefined) {
      this.#items[at - this.#dropped] = { ...tail, block: first };
    }
    this.#addBlocks(messageId, ts, further);
  }

  #addBlocks(messageId: string, ts: number, blocks: readonly Block[]): void {
    for (const block of blocks) {
      this.#tails.set(messageId, this.#add({ kind: "message", messageId, ts, block }));
    }
  }

  #tool({ toolCallId, name, status, ts }: ToolEvent): void {
    const key = toolCallId ?? `name ${name}`;
    const open = this.#calls.get(key) ?? [];
    if (status === "started" && toolCallId !== undefined && open[0] !== undefined) {
      this.#rename(open[0], name);
      return;
    }
    if (status === "started") {
      this.#calls.set(key, [...open, this.#add({ kind: "tool", name, status, ts })]);
      return;
    }
    const [at, ...others] = open;
    this.#setCalls(key, others);
    const call = at === undefined ? undefined : this.#items[at - this.#dropped];
    if (at !== undefined && call?.kind === "tool") {
      this.#items[at - this.#dropped] = { ...call, status, endedAt: ts };
    } else if (at === undefined) {
      this.#add({ kind: "tool", name, status, ts, endedAt: ts });
    }
  }

  /** A call that is told of as started once more has only changed. */
  #rename(at: number, name: string): void {
    const call = this.#items[at - this.#dropped];
    if (call?.kind === "tool" && call.name !== name) {
      this.#items[at - this.#dropped] = { ...call, name };
    }
  }

  #setCalls(key: string, open: readonly number[]): void {
    if (open.length === 0) {
      this.#calls.delete(key);
    } else {
      this.#calls.set(key, open);
    }
  }

  #count({ inputTokens, outputTokens, cost }: UsageEvent): void {
    this.#usage = {
      ...this.#usage,
      ...(inputTokens === undefined ? {} : { inputTokens }),
      ...(outputTokens === undefined ? {} : { outputTokens }),
      ...(cost === undefined ? {} : { cost }),
    };
  }

  #emit({ name, value }: EmitEvent): void {
    this.#variables.set(name, value);
  }

  #end({ text }: ResultEvent): void {
    this.#result = text;
  }

  #write({ text }: LogEvent): void {
    this.#log = appendToTail(this.#log, text);
  }

  #add(item: Item): number {
    this.#items.push(item);
    return this.#dropped + this.#items.length - 1;
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

function charsOf(item: Item | undefined): number {
  return item?.kind === "message" ? item.block.text.length : 0;
}
