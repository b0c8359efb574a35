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
import type { Item, MessageItem } from "./items.js";
import { omit } from "./omit.js";
import { type Question, questionAfter } from "./question.js";
import { appendToTail, EMPTY_TAIL, type TextTail } from "./textTail.js";
import { beginTool, continueTool } from "./toolItem.js";

/** How many items stay when earlier ones are dropped, however old they are. */
const LEAST_ITEMS = 10;

/** Tokens, cost (USD) and the fill of the model's window as last told. */
export type Usage = Partial<Omit<UsageEvent, "type" | "seq" | "ts">>;

/**
 * What events of one run amount to, for a reader. Item `n` is `items[n - dropped]`: items keep their
 * numbers while others come and go at both ends.
 */
export interface Conversation {
  readonly dropped: number;
  readonly items: readonly Item[];
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
  log: EMPTY_TAIL,
  variables: new Map(),
  questions: new Map(),
  tails: new Map(),
  calls: new Map(),
};

/** Add events, in order and each once, to what those before them amounted to. */
export function applyEvents(before: Conversation, events: readonly TaskEvent[]): Conversation {
  return applyItems(applyFacts(before, events), events);
}

/** Add what events say of the run as a whole: its plan, usage, variables, result and error output. */
export function applyFacts(before: Conversation, events: readonly TaskEvent[]): Conversation {
  return applied(before, events, (draft, event) => {
    draft.note(event);
  });
}

/** Add what events show where they stand: messages, thoughts, calls and questions. */
export function applyItems(before: Conversation, events: readonly TaskEvent[]): Conversation {
  return applied(before, events, (draft, event) => {
    draft.show(event);
  });
}

function applied(
  before: Conversation,
  events: readonly TaskEvent[],
  apply: (draft: Draft, event: TaskEvent) => void,
): Conversation {
  if (events.length === 0) {
    return before;
  }
  const draft = new Draft(before);
  for (const event of events) {
    apply(draft, event);
  }
  return draft.finish();
}

/** Go without the items that begin before an event; the last few stay in any case. */
export function dropBefore(conversation: Conversation, seq: number): Conversation {
  const { items, dropped, tails } = conversation;
  const kept = items.findIndex((item) => item.seq >= seq);
  const drop = Math.max(0, Math.min(kept < 0 ? items.length : kept, items.length - LEAST_ITEMS));
  const first = dropped + drop;
  return {
    ...conversation,
    dropped: first,
    items: items.slice(drop),
    tails: new Map([...tails].filter(([, at]) => at >= first)),
  };
}

/** Keep what is known of the run as a whole, and begin with other items, numbered from `first`. */
export function withoutItems(conversation: Conversation, first: number): Conversation {
  const { log, variables, result, usage, plan } = conversation;
  return {
    ...EMPTY_CONVERSATION,
    dropped: first,
    log,
    variables,
    ...(result === undefined ? {} : { result }),
    ...(usage === undefined ? {} : { usage }),
    ...(plan === undefined ? {} : { plan }),
  };
}

/** Number the items from `first` on, which may be below 0. */
export function renumbered(conversation: Conversation, first: number): Conversation {
  const by = first - conversation.dropped;
  const { questions, tails, calls } = conversation;
  const moved = (places: ReadonlyMap<string, number>) =>
    new Map([...places].map(([key, at]) => [key, at + by]));
  return {
    ...conversation,
    dropped: first,
    questions: moved(questions),
    tails: moved(tails),
    calls: new Map([...calls].map(([key, open]) => [key, open.map((at) => at + by)])),
  };
}

/** How many items the run has had, those dropped included. */
export function itemCount({ dropped, items }: Conversation): number {
  return dropped + items.length;
}

/** A copy of a conversation that may be written to, so that a batch is copied once. */
class Draft {
  readonly #items: Item[];
  readonly #dropped: number;
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
    this.#log = before.log;
    this.#result = before.result;
    this.#usage = before.usage;
    this.#plan = before.plan;
    this.#questions = new Map(before.questions);
    this.#variables = new Map(before.variables);
    this.#tails = new Map(before.tails);
    this.#calls = new Map(before.calls);
  }

  show(event: TaskEvent): void {
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
      default: // The rest has no place of its own.
    }
  }

  note(event: TaskEvent): void {
    switch (event.type) {
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
    return {
      dropped: this.#dropped,
      items: this.#items,
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

  #message({ messageId, seq, ts, text, role }: MessageEvent): void {
    if (role === "user") {
      this.#add({ kind: "sent", seq, ts, text });
      return;
    }
    const at = this.#tails.get(messageId) ?? this.#continued(messageId, text);
    const tail = at === undefined ? undefined : this.#itemAt(at);
    if (at === undefined || tail?.kind !== "message") {
      this.#addBlocks({ messageId, seq, ts }, appendToBlock({ text: "" }, text));
      return;
    }
    const [first, ...further] = appendToBlock(tail.block, text);
    if (first !== undefined) {
      this.#set(at, { ...tail, messageId, block: first });
    }
    this.#addBlocks({ messageId, seq, ts }, further);
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

  #addBlocks(of: Omit<MessageItem, "kind" | "block">, blocks: readonly Block[]): void {
    for (const block of blocks) {
      this.#tails.set(of.messageId, this.#add({ kind: "message", ...of, block }));
    }
  }

  /** Thoughts that follow each other are one item. */
  #think({ messageId, seq, ts, text }: ThoughtEvent): void {
    const last = this.#items.at(-1);
    if (last?.kind !== "thought") {
      this.#add({ kind: "thought", messageId, seq, ts, text: appendToTail(EMPTY_TAIL, text) });
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
    const { requestId, toolCallId = "", seq, ts } = event;
    const known = this.#questions.get(requestId) ?? this.#calls.get(toolCallId)?.[0];
    const item = known === undefined ? undefined : this.#itemAt(known);
    const question = questionAfter(questionOf(item, requestId), event);
    const at = known ?? this.#add({ kind: "question", seq, ts, question });
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
    this.#items[at - this.#dropped] = item;
  }

  #add(item: Item): number {
    this.#items.push(item);
    return this.#lastAt;
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
