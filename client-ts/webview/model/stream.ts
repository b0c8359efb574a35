import type { TaskEvent } from "../../src/protocol.js";
import { applyEvents, type Conversation, EMPTY_CONVERSATION } from "./conversation.js";

/** How many events may wait for a missing one; what comes beyond is asked for again. */
export const MAX_WAITING = 5_000;

/** A conversation and where in the run's events it stands. */
export interface Stream {
  /** All events up to this one are in the conversation. */
  readonly lastSeq: number;
  readonly conversation: Conversation;
  /** Events that came before one that they follow, by `seq`. */
  readonly waiting: ReadonlyMap<number, TaskEvent>;
}

export const EMPTY_STREAM: Stream = {
  lastSeq: 0,
  conversation: EMPTY_CONVERSATION,
  waiting: new Map(),
};

/**
 * Take events in whatever order and however often they come: each counts once, in its place.
 *
 * A stream with `waiting` events misses some: ask again for those after `lastSeq`.
 */
export function receive(stream: Stream, events: readonly TaskEvent[]): Stream {
  const waiting = new Map(stream.waiting);
  for (const event of events) {
    if (event.seq > stream.lastSeq && event.seq <= stream.lastSeq + MAX_WAITING + events.length) {
      waiting.set(event.seq, event);
    }
  }
  const next = takeInOrder(waiting, stream.lastSeq);
  return {
    lastSeq: stream.lastSeq + next.length,
    conversation: next.length === 0 ? stream.conversation : applyEvents(stream.conversation, next),
    waiting,
  };
}

function takeInOrder(waiting: Map<number, TaskEvent>, lastSeq: number): TaskEvent[] {
  const taken: TaskEvent[] = [];
  for (
    let event = waiting.get(lastSeq + 1);
    event;
    event = waiting.get(lastSeq + taken.length + 1)
  ) {
    taken.push(event);
    waiting.delete(event.seq);
  }
  return taken;
}
