import type { Batch } from "../../../src/panel/eventFeed.js";
import { sizeOf } from "../../../src/panel/eventSize.js";
import type { PageSide } from "../../../src/panel/messages.js";
import type { TaskEvent } from "../../../src/protocol.js";
import {
  applyFacts,
  applyItems,
  type Conversation,
  EMPTY_CONVERSATION,
  itemCount,
} from "./conversation.js";
import { cutsOf, dropBefore, renumbered, reusing, withoutItems } from "./rebuild.js";

/** The most that is kept of a run, in characters of its events. */
export const MAX_CHARS = 800_000;
/** How much remains after dropping events, so that drops are rare. */
const KEPT_CHARS = 500_000;

/** Consecutive events of a run, and the conversation that they make. */
export interface Stream {
  /** The events, without gaps; those before and after can be requested. */
  readonly events: readonly TaskEvent[];
  readonly chars: number;
  /** The number of the last one; 0 if there are none. */
  readonly lastSeq: number;
  /** The conversation has the facts up to this event. */
  readonly factsSeq: number;
  /** The newest known event, and its time in ms since the epoch. */
  readonly newestSeq: number;
  readonly newestTs: number;
  readonly conversation: Conversation;
  /** A batch that cannot be shown yet: it follows a gap, or there is no room for it. */
  readonly held?: Batch;
}

export const EMPTY_STREAM: Stream = {
  events: [],
  chars: 0,
  lastSeq: 0,
  factsSeq: 0,
  newestSeq: 0,
  newestTs: 0,
  conversation: EMPTY_CONVERSATION,
};

/** Whether the run has events before the loaded ones. */
export function hasBefore({ events }: Stream): boolean {
  return (events[0]?.seq ?? 1) > 1;
}

/** Whether the run has events after the loaded ones. */
export function hasAfter({ lastSeq, newestSeq }: Stream): boolean {
  return newestSeq > lastSeq;
}

/**
 * Add a batch of events, each once. For a reader at the end, a gap before it is skipped. For one
 * elsewhere, a batch that follows a gap or does not fit is held.
 */
export function receive(stream: Stream, batch: Batch, atEnd: boolean): Stream {
  const heard = noticed(stream, batch);
  const fresh = batch.events.filter(({ seq }) => seq > heard.lastSeq);
  const [first] = fresh;
  if (first === undefined) {
    return heard;
  }
  const followsOn = first.seq === heard.lastSeq + 1;
  if (atEnd) {
    return withoutOldest(followsOn ? appended(heard, fresh) : begunAt(heard, fresh, batch.facts));
  }
  return followsOn && heard.chars < MAX_CHARS ? appended(heard, fresh) : hold(heard, batch);
}

/** Hold a batch until it can be shown. */
export function hold(stream: Stream, batch: Batch): Stream {
  return { ...noticed(stream, batch), held: batch };
}

/** Add the held batch, if it can be shown now. */
export function release(stream: Stream, atEnd: boolean): Stream {
  const { held, ...rest } = stream;
  return held === undefined ? stream : receive(rest, held, atEnd);
}

/** Add requested events right before or after the loaded ones. */
export function withPage(stream: Stream, side: PageSide, page: readonly TaskEvent[]): Stream {
  const [first] = stream.events;
  const fresh =
    side === "after" || first === undefined
      ? page.filter(({ seq }) => seq > stream.lastSeq)
      : page.filter(({ seq }) => seq < first.seq);
  if (fresh.length === 0) {
    return stream;
  }
  if (side === "after" || first === undefined) {
    return release(withoutOldest(appended(stream, fresh)), false);
  }
  return withoutNewest(prepended(stream, fresh));
}

/** Note what a batch says about the whole run. */
function noticed(stream: Stream, { events, facts = [] }: Batch): Stream {
  const all = [...facts, ...events].filter(({ seq }) => seq > stream.factsSeq);
  const newest = events.at(-1);
  return {
    ...stream,
    conversation: applyFacts(stream.conversation, all),
    factsSeq: Math.max(stream.factsSeq, newest?.seq ?? 0),
    newestSeq: Math.max(stream.newestSeq, newest?.seq ?? 0),
    newestTs: Math.max(stream.newestTs, newest?.ts ?? 0),
  };
}

function appended(stream: Stream, events: readonly TaskEvent[]): Stream {
  return {
    ...withEvents(stream, [...stream.events, ...events], stream.chars + sizeOf(events)),
    conversation: applyItems(stream.conversation, events),
  };
}

/**
 * Start over with these events and the questions that are open from before. Items keep counting up,
 * so that no number is used twice.
 */
function begunAt(
  stream: Stream,
  events: readonly TaskEvent[],
  facts: readonly TaskEvent[] = [],
): Stream {
  const empty = withoutItems(stream.conversation, itemCount(stream.conversation));
  const open = facts.filter((fact) => fact.type === "permission" && fact.state === "asked");
  return { ...withEvents(stream, events), conversation: applyItems(empty, [...open, ...events]) };
}

function withEvents(
  stream: Stream,
  events: readonly TaskEvent[],
  chars: number = sizeOf(events),
): Stream {
  return { ...stream, events, chars, lastSeq: events.at(-1)?.seq ?? 0 };
}

/** Add earlier events. Items are rebuilt, since a call may begin there and end here. */
function prepended(stream: Stream, earlier: readonly TaskEvent[]): Stream {
  const { conversation, events } = stream;
  const all = [...earlier, ...events];
  const whole = applyItems(withoutItems(conversation, 0), all, cutsOf(conversation));
  const firstSeq = conversation.items[0]?.seq ?? 0;
  const before = whole.items.findIndex(({ seq }) => seq >= firstSeq);
  const numbered = renumbered(whole, conversation.dropped - Math.max(0, before));
  return {
    ...withEvents(stream, all, stream.chars + sizeOf(earlier)),
    conversation: reusing(numbered, conversation),
  };
}

function withoutOldest(stream: Stream): Stream {
  if (stream.chars <= MAX_CHARS) {
    return stream;
  }
  let { chars } = stream;
  let drop = 0;
  while (chars > KEPT_CHARS && drop < stream.events.length - 1) {
    chars -= sizeOf(stream.events[drop]);
    drop += 1;
  }
  const events = stream.events.slice(drop);
  const conversation = dropBefore(stream.conversation, events[0]?.seq ?? 0);
  return { ...stream, events, chars, conversation };
}

function withoutNewest(stream: Stream): Stream {
  let { chars } = stream;
  let count = stream.events.length;
  while (chars > MAX_CHARS && count > 1) {
    count -= 1;
    chars -= sizeOf(stream.events[count]);
  }
  if (count === stream.events.length) {
    return stream;
  }
  const events = stream.events.slice(0, count);
  const { dropped } = stream.conversation;
  const empty = withoutItems(stream.conversation, dropped);
  const again = applyItems(empty, events, cutsOf(stream.conversation));
  return {
    ...withEvents(stream, events, chars),
    conversation: reusing(again, stream.conversation),
  };
}
