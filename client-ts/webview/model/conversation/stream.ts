import type { Batch } from "../../../src/panel/events/eventFeed.js";
import { PAGE_CHARS, sizeOf } from "../../../src/panel/events/eventSize.js";
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
/** The most that is kept for what is in view, in characters: calls may be long and show one line. */
const MOST_CHARS = 4 * MAX_CHARS;

/** The first and last event of what is in view. */
export interface SeqRange {
  readonly first: number;
  readonly last: number;
}

/** Consecutive events of a run, and the conversation that they make. */
export interface Stream {
  /** The events, without gaps; those before and after can be requested. */
  readonly events: readonly TaskEvent[];
  readonly chars: number;
  /** The number of the first event that the sidecar still has, once that is known. */
  readonly oldestSeq?: number;
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
export function hasBefore({ events, oldestSeq = 1 }: Stream): boolean {
  return (events[0]?.seq ?? 1) > oldestSeq;
}

/** Whether the run has events after the loaded ones. */
export function hasAfter({ lastSeq, newestSeq }: Stream): boolean {
  return newestSeq > lastSeq;
}

/** Whether a page of earlier events fits, so that it is not dropped while it is shown. */
export function hasRoom({ chars }: Stream): boolean {
  return chars + PAGE_CHARS <= MOST_CHARS;
}

/**
 * Add a batch of events, each once. For a reader at the end, a gap before it is skipped, and events
 * from `firstShown` on are kept. For one elsewhere, a batch that follows a gap or does not fit is held.
 */
export function receive(
  stream: Stream,
  batch: Batch,
  atEnd: boolean,
  firstShown = Infinity,
): Stream {
  const heard = noticed(stream, batch);
  const fresh = batch.events.filter(({ seq }) => seq > heard.lastSeq);
  const [first] = fresh;
  if (first === undefined) {
    return heard;
  }
  const followsOn = first.seq === heard.lastSeq + 1;
  if (atEnd) {
    const next = followsOn ? appended(heard, fresh) : begunAt(heard, fresh, batch.facts);
    return withoutOldest(next, firstShown);
  }
  return followsOn && heard.chars < MAX_CHARS ? appended(heard, fresh) : hold(heard, batch);
}

/** Hold a batch until it can be shown. */
export function hold(stream: Stream, batch: Batch): Stream {
  return { ...noticed(stream, batch), held: batch };
}

/** Forget the events, for others to be loaded; what is known of the whole run stays. */
export function emptied(stream: Stream): Stream {
  const { conversation } = stream;
  const none = withoutItems(conversation, itemCount(conversation));
  return { ...withEvents(stream, []), conversation: none };
}

/** Add the held batch, if it can be shown now. */
export function release(stream: Stream, atEnd: boolean): Stream {
  const { held, ...rest } = stream;
  return held === undefined ? stream : receive(rest, held, atEnd);
}

/** Add requested events right before or after the loaded ones; those in view are kept. */
export function withPage(
  stream: Stream,
  side: PageSide,
  page: readonly TaskEvent[],
  inView?: SeqRange,
): Stream {
  const [first] = stream.events;
  const fresh =
    side === "after" || first === undefined
      ? page.filter(({ seq }) => seq > stream.lastSeq)
      : page.filter(({ seq }) => seq < first.seq);
  if (fresh.length === 0) {
    return side === "after" || first === undefined ? stream : { ...stream, oldestSeq: first.seq };
  }
  if (side === "after" || first === undefined) {
    return release(withoutOldest(appended(stream, fresh), inView?.first), false);
  }
  if (fresh.at(-1)?.seq !== first.seq - 1) {
    return stream; // The stream began again while the page was loading.
  }
  return withoutNewest(prepended(stream, fresh), inView?.last);
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
  const open = facts.filter(
    (fact) => (fact.type === "permission" || fact.type === "question") && fact.state === "asked",
  );
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

/** Drop events, as far as possible only those before `first`. */
function withoutOldest(stream: Stream, first = Infinity): Stream {
  if (stream.chars <= MAX_CHARS) {
    return stream;
  }
  let { chars } = stream;
  let drop = 0;
  while (drop < stream.events.length - 1) {
    const event = stream.events[drop];
    if (chars <= ((event?.seq ?? 0) < first ? KEPT_CHARS : MOST_CHARS)) {
      break;
    }
    chars -= sizeOf(event);
    drop += 1;
  }
  const events = stream.events.slice(drop);
  const conversation = dropBefore(stream.conversation, events[0]?.seq ?? 0);
  return { ...stream, events, chars, conversation };
}

/** Drop events, as far as possible only those after `last`. */
function withoutNewest(stream: Stream, last = 0): Stream {
  let { chars } = stream;
  let count = stream.events.length;
  while (count > 1) {
    const event = stream.events[count - 1];
    if (chars <= ((event?.seq ?? 0) > last ? MAX_CHARS : MOST_CHARS)) {
      break;
    }
    chars -= sizeOf(event);
    count -= 1;
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
