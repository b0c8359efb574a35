import type {
  MessageEvent,
  PermissionEvent,
  QuestionEvent,
  PlanEntry,
  TaskEvent,
  ThoughtEvent,
  ToolEvent,
  UsageEvent,
} from "../../../src/protocol.js";
import { setVariable } from "../../../src/panel/events/variables.js";
import { appendWithCuts, type Block } from "./blocks.js";
import type { Item, MessageItem, ToolItem } from "./items.js";
import { omit } from "../../../src/util/omit.js";
import { inquiryAfter } from "../questions/inquiry.js";
import { type Question, questionAfter } from "./question.js";
import { appendToTail, EMPTY_TAIL, type TextTail } from "./textTail.js";
import { beginTool, continueTool } from "./toolItem.js";

/** The latest tokens, cost (USD) and fill of the model's context window. */
export type Usage = Partial<Omit<UsageEvent, "type" | "seq" | "ts">>;

/**
 * The events of one run as a reader sees them. Item `n` is `items[n - dropped]`: items keep their
 * numbers while others are added and dropped at both ends.
 */
export interface Conversation {
  readonly dropped: number;
  readonly items: readonly Item[];
  readonly log: TextTail;
  readonly variables: ReadonlyMap<string, unknown>;
  readonly result?: string;
  readonly usage?: Usage;
  readonly plan?: readonly PlanEntry[];
  /** The items of unanswered questions, by request id. */
  readonly questions: ReadonlyMap<string, number>;
  /** The newest block of each message. */
  readonly tails: ReadonlyMap<string, number>;
  /** The items of unfinished calls, by call id or, without one, by name. */
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

/** Where messages are split: offsets in the texts of events, by `seq`. */
export type Cuts = ReadonlyMap<number, readonly number[]>;

const NO_CUTS: Cuts = new Map();

/** Add events to a conversation, in order and each once. */
export function applyEvents(before: Conversation, events: readonly TaskEvent[]): Conversation {
  return applyItems(applyFacts(before, events), events);
}

/** Add what events say about the whole run: plan, usage, variables, result and error output. */
export function applyFacts(before: Conversation, events: readonly TaskEvent[]): Conversation {
  return applied(before, events, (draft, event) => {
    draft.note(event);
  });
}

/**
 * Add the items that events show: messages, thoughts, calls and questions. Messages are also split
 * at `cuts`.
 */
export function applyItems(
  before: Conversation,
  events: readonly TaskEvent[],
  cuts: Cuts = NO_CUTS,
): Conversation {
  return applied(before, events, (draft, event) => {
    draft.show(event, cuts.get(event.seq));
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

/** Return the newest loaded call that has not ended. */
export function openCall({ calls, items, dropped }: Conversation): ToolItem | undefined {
  const newest = Math.max(...[...calls.values()].flat());
  const item = items[newest - dropped];
  return item?.kind === "tool" ? item : undefined;
}

/** Count the items of the run, including dropped ones. */
export function itemCount({ dropped, items }: Conversation): number {
  return dropped + items.length;
}

/** A mutable copy of a conversation, so that a batch of events copies it only once. */
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

  show(event: TaskEvent, cuts: readonly number[] = []): void {
    switch (event.type) {
      case "message":
        this.#message(event, cuts);
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
      case "question":
        this.#inquire(event);
        break;
      default: // Other events are not items.
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
        setVariable(this.#variables, event.name, event.value);
        break;
      case "result":
        this.#result = event.text;
        break;
      case "log":
        this.#log = appendToTail(this.#log, event.text);
        break;
      default: // The state comes with the task.
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

  #message({ messageId, seq, ts, text, role }: MessageEvent, cuts: readonly number[]): void {
    if (role === "user") {
      this.#add({ kind: "sent", seq, ts, text });
      return;
    }
    const of = { kind: "message", messageId, seq, ts } as const;
    const at = this.#tails.get(messageId) ?? this.#continued(messageId, text);
    const tail = at === undefined ? undefined : this.#itemAt(at);
    if (at === undefined || tail?.kind !== "message") {
      this.#addBlocks(of, appendWithCuts({ text: "" }, text, cuts));
      return;
    }
    const [first = tail.block, ...further] = appendWithCuts(tail.block, text, cuts);
    this.#set(at, { ...tail, messageId, block: first });
    this.#addBlocks(of, further, first.text.length - tail.block.text.length);
  }

  /** Find the message that this text continues: a stream may arrive as many messages. */
  #continued(messageId: string, text: string): number | undefined {
    const last = this.#items.at(-1);
    if (last?.kind !== "message" || !readsOn(last, text)) {
      return undefined;
    }
    this.#tails.delete(last.messageId);
    this.#tails.set(messageId, this.#lastAt);
    return this.#lastAt;
  }

  /** Add the blocks of an event; those that continue a message begin at `offset` of its text. */
  #addBlocks(of: Omit<MessageItem, "block">, blocks: readonly Block[], offset?: number): void {
    let begin = offset;
    for (const block of blocks) {
      const place = begin === undefined ? {} : { offset: begin };
      this.#tails.set(of.messageId, this.#add({ ...of, ...place, block }));
      begin = (begin ?? 0) + block.text.length;
    }
  }

  /** Merge consecutive thoughts into one item. */
  #think({ messageId, seq, ts, text }: ThoughtEvent): void {
    const last = this.#items.at(-1);
    if (last?.kind !== "thought") {
      this.#add({ kind: "thought", messageId, seq, ts, text: appendToTail(EMPTY_TAIL, text) });
      return;
    }
    const piece = last.messageId === messageId ? text : `\n\n${text}`;
    this.#set(this.#lastAt, { ...last, messageId, text: appendToTail(last.text, piece) });
  }

  /** Without an id, a start begins a new call and an end belongs to the oldest one. */
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

  /** Attach a question to its call, or make it an item of its own if there is none. */
  #ask(event: PermissionEvent): void {
    const { requestId, toolCallId = "", seq, ts } = event;
    const known = this.#questions.get(requestId) ?? this.#calls.get(toolCallId)?.[0];
    const item = known === undefined ? undefined : this.#itemAt(known);
    const question = questionAfter(questionOf(item, requestId), event);
    const at = known ?? this.#add({ kind: "question", seq, ts, question });
    if (item?.kind === "tool") {
      this.#set(at, waitingCall(item, question, event));
    } else if (item?.kind === "question") {
      this.#set(at, { ...item, question });
    }
    if (event.state === "asked") {
      this.#questions.set(requestId, at);
    } else {
      this.#questions.delete(requestId);
    }
  }

  /** Show a question of the agent where it was asked, with its answer. */
  #inquire(event: QuestionEvent): void {
    const { requestId, toolCallId = "", seq, ts, state } = event;
    const known = this.#questions.get(requestId);
    const item = known === undefined ? undefined : this.#itemAt(known);
    const before = item?.kind === "inquiry" ? item.inquiry : undefined;
    const inquiry = inquiryAfter(before, event);
    const at = known ?? this.#add({ kind: "inquiry", seq, ts, inquiry });
    if (item?.kind === "inquiry") {
      this.#set(at, { ...item, inquiry });
    }
    const call = this.#calls.get(toolCallId)?.[0];
    const asking = call === undefined ? undefined : this.#itemAt(call);
    if (call !== undefined && asking?.kind === "tool" && state !== "asked") {
      this.#set(call, waited(asking, ts - inquiry.ts));
    }
    if (state === "asked") {
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
    this.#usage = { ...this.#usage, ...omit(event, "type", "seq", "ts") };
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

/** Return a call with its question; once that is answered, also with the time that it waited. */
function waitingCall(item: ToolItem, question: Question, { state, ts }: PermissionEvent): ToolItem {
  return { ...waited(item, state === "asked" ? 0 : ts - question.ts), question };
}

function waited(item: ToolItem, ms: number): ToolItem {
  return { ...item, waitedMs: (item.waitedMs ?? 0) + ms };
}

function questionOf(item: Item | undefined, requestId: string): Question | undefined {
  const known = item?.kind === "tool" || item?.kind === "question" ? item.question : undefined;
  return known?.requestId === requestId ? known : undefined;
}

/** Whether a text continues a message, judging by the whitespace between them. */
function readsOn({ block }: MessageItem, text: string): boolean {
  return /\s$/u.test(block.text.slice(-1)) || /^[\s.,;:!?)\]}]/u.test(text);
}
