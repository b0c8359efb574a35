import type { Batch } from "../../src/panel/eventFeed.js";
import type { PageSide } from "../../src/panel/messages.js";
import type { AsyncTask } from "../../src/protocol.js";
import { itemCount } from "./conversation.js";
import type { OpenEvent } from "./events.js";
import { weightOf } from "./items.js";
import { omit, without } from "./omit.js";
import {
  earlier,
  END,
  type Extent,
  later,
  latest,
  MAX_SHOWN,
  type Range,
  within,
} from "./range.js";
import {
  EMPTY_STREAM,
  hasAfter,
  hasBefore,
  hold,
  receive,
  release,
  type Stream,
  withPage,
} from "./stream.js";

/** The conversation on the screen. */
export interface OpenRun {
  readonly taskId: string;
  readonly task?: AsyncTask;
  /** Whether its agent may be sent a message now, as far as is known. */
  readonly takesMessages?: boolean;
  readonly stream: Stream;
  /** What is shown while the reader is not at the end; undefined follows the end. */
  readonly reading?: Range;
  /** How much is shown of the end: as much as fills the room there is. */
  readonly endWeight?: number;
  /** The event where a reader was when the page was last left, until that place is here again. */
  readonly returning?: number;
  /** On which side further events were asked for and have not come. */
  readonly loading?: PageSide;
  /** Why the task, its cancel or an answer could not be had. */
  readonly problem?: string;
  /** Ids of the questions whose answers are on their way. */
  readonly answering: ReadonlySet<string>;
}

/** A conversation of which nothing is known yet. */
export function newlyOpen(taskId: string): OpenRun {
  return { taskId, stream: EMPTY_STREAM, answering: new Set() };
}

/** What of an open run is here to be shown. */
export function extentOf({ stream: { conversation } }: OpenRun): Extent {
  const { dropped, items } = conversation;
  return {
    start: dropped,
    end: itemCount(conversation),
    weigh: (at) => weightOf(items[at - dropped]),
  };
}

/** What is shown of it. */
export function shownOf(open: OpenRun): Range {
  const extent = extentOf(open);
  return open.reading === undefined ? latest(extent, open.endWeight) : within(open.reading, extent);
}

/** Whether the reader follows the end, where whatever comes is shown at once. */
export function followsEnd({ reading, returning }: OpenRun): boolean {
  return reading === undefined && returning === undefined;
}

/** Whether what is shown goes to the end of the run, as far as it is known. */
export function showsEnd(open: OpenRun): boolean {
  return shownOf(open).end === extentOf(open).end && !hasAfter(open.stream);
}

/** Whether more of the end could be shown. */
export function canWiden(open: OpenRun): boolean {
  const { endWeight = END } = open;
  return endWeight < MAX_SHOWN && shownOf(open).start > extentOf(open).start;
}

/** Whether there is more to show on a side, here or to be asked for. */
export function hasMore(open: OpenRun, side: PageSide): boolean {
  const [shown, extent] = [shownOf(open), extentOf(open)];
  return side === "before"
    ? shown.start > extent.start || hasBefore(open.stream)
    : shown.end < extent.end || hasAfter(open.stream);
}

/** Say what the open conversation becomes. What is told of another changes nothing. Pure. */
export function reduceOpen(open: OpenRun, event: OpenEvent): OpenRun {
  switch (event.type) {
    case "task":
      return event.task.id === open.taskId ? withTask(open, event) : open;
    case "taskMissing":
      return event.taskId === open.taskId ? { ...open, problem: event.message } : open;
    case "events":
      return event.taskId === open.taskId ? { ...open, stream: received(open, event) } : open;
    case "page":
      return event.taskId === open.taskId ? paged(open, event) : open;
    case "answer":
      return {
        ...omit(open, "problem"),
        answering: new Set([...open.answering, event.requestId]),
      };
    case "answerFailed":
      return event.taskId === open.taskId
        ? { ...open, problem: event.message, answering: without(open.answering, event.requestId) }
        : open;
    case "leaveEnd":
      return open.reading === undefined ? { ...open, reading: shownOf(open) } : open;
    case "widen":
      return { ...open, endWeight: Math.min(MAX_SHOWN, 2 * (open.endWeight ?? END)) };
    case "earlier":
      return showingEarlier(open);
    case "later":
      return showingLater(open);
    case "reachEnd":
      return open.reading === undefined ? open : pastShown(open);
    case "jumpToEnd":
      return atEnd(open);
  }
}

/** A reader who comes back to a place gets it first. */
function received(open: OpenRun, batch: Batch): Stream {
  return open.returning === undefined
    ? receive(open.stream, batch, followsEnd(open))
    : hold(open.stream, batch);
}

function withTask(
  open: OpenRun,
  { task, takesMessages = false }: Extract<OpenEvent, { type: "task" }>,
): OpenRun {
  return { ...omit(open, "problem"), task, takesMessages };
}

function showingEarlier(open: OpenRun): OpenRun {
  const [shown, extent] = [shownOf(open), extentOf(open)];
  if (shown.start > extent.start) {
    return { ...open, reading: earlier(shown, extent) };
  }
  return hasBefore(open.stream) ? { ...open, reading: shown, loading: "before" } : open;
}

function showingLater(open: OpenRun): OpenRun {
  const [shown, extent] = [shownOf(open), extentOf(open)];
  if (shown.end < extent.end) {
    return { ...open, reading: later(shown, extent) };
  }
  return hasAfter(open.stream) ? { ...open, reading: shown, loading: "after" } : open;
}

/** Go on where the items shown end: with further items or, behind the last, by following. */
function pastShown(open: OpenRun): OpenRun {
  return hasMore(open, "after") ? showingLater(open) : atEnd(open);
}

function atEnd(open: OpenRun): OpenRun {
  const following = omit(omit(omit(open, "reading"), "returning"), "loading");
  return { ...following, stream: release(open.stream, true) };
}

/** Show what was asked for on the side where the reader is waiting for it. */
function paged(open: OpenRun, { side, events }: Extract<OpenEvent, { type: "page" }>): OpenRun {
  const next = { ...omit(open, "loading"), stream: withPage(open.stream, side, events) };
  if (open.returning !== undefined) {
    return returned(next, open.returning);
  }
  if (open.reading === undefined || next.stream === open.stream) {
    return next;
  }
  return side === "before" ? showingEarlier(next) : showingLater(next);
}

/** Show the place that the reader had left, or follow the end where it is gone. */
function returned(open: OpenRun, seq: number): OpenRun {
  const extent = extentOf(open);
  const { items, dropped } = open.stream.conversation;
  const at = items.findLastIndex((item) => item.seq <= seq);
  if (at < 0) {
    return atEnd(open);
  }
  const near = earlier({ start: dropped + at, end: dropped + at }, extent);
  return { ...omit(open, "returning"), reading: later(near, extent) };
}
