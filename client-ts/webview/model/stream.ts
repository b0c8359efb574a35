import type { Batch } from "../../src/panel/eventFeed.js";
import { sizeOf } from "../../src/panel/eventSize.js";
import type { PageSide } from "../../src/panel/messages.js";
import type { TaskEvent } from "../../src/protocol.js";
import {
  applyFacts,
  applyItems,
  type Conversation,
  dropBefore,
  EMPTY_CONVERSATION,
  itemCount,
  renumbered,
  withoutItems,
} from "./conversation.js";

/** No more of a run than this is kept in the page, in characters of its events. */
export const MAX_CHARS = 800_000;
/** As much as remains when it was too much, so that this happens seldom. */
const KEPT_CHARS = 500_000;

/** A stretch of a run's events, and what a reader sees of it. */
export interface Stream {
  /** The events, without gaps: what lies before and after can be asked for. */
  readonly events: readonly TaskEvent[];
  readonly chars: number;
  /** The last of them; 0 if there are none. */
  readonly lastSeq: number;
  /** Facts up to this event are in the conversation. */
  readonly factsSeq: number;
  /** The newest event that was heard of, and its time in ms since the epoch. */
  readonly newestSeq: number;
  readonly newestTs: number;
  readonly conversation: Conversation;
  /** What came and has no place yet: it follows on a gap, or the reader keeps the room. */
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

/** Whether the run has events before those that are here. */
export function hasBefore({ events }: Stream): boolean {
  return (events[0]?.seq ?? 1) > 1;
}

/** Whether the run has events after those that are here. */
export function hasAfter({ lastSeq, newestSeq }: Stream): boolean {
  return newestSeq > lastSeq;
}

/**
 * Take a batch of events, each once. A reader at the end goes along with it, over a gap as well;
 * for one who reads elsewhere it is held where it does not follow on, or where there is no room.
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

/** Keep a batch until there is a place for it. */
export function hold(stream: Stream, batch: Batch): Stream {
  return { ...noticed(stream, batch), held: batch };
}

/** Take what is held, if there is a place for it now. */
export function release(stream: Stream, atEnd: boolean): Stream {
  const { held, ...rest } = stream;
  return held === undefined ? stream : receive(rest, held, atEnd);
}

/** Take events that were asked for, right before or right after those that are here. */
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

/** Note what a batch says of the run as a whole, wherever its events belong. */
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
 * Begin where these events do, with the questions that are open from before. Numbers go on, so that
 * none stands for two items.
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

/** Make the items again, as one may begin before and end here; known ones keep their numbers. */
function prepended(stream: Stream, earlier: readonly TaskEvent[]): Stream {
  const { conversation, events } = stream;
  const all = [...earlier, ...events];
  const whole = applyItems(withoutItems(conversation, 0), all);
  const firstSeq = conversation.items[0]?.seq ?? 0;
  const before = whole.items.findIndex(({ seq }) => seq >= firstSeq);
  return {
    ...withEvents(stream, all, stream.chars + sizeOf(earlier)),
    conversation: renumbered(whole, conversation.dropped - Math.max(0, before)),
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
  const conversation = applyItems(withoutItems(stream.conversation, dropped), events);
  return { ...withEvents(stream, events, chars), conversation };
}
