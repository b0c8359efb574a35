import type { Batch } from "../../src/panel/events/eventFeed.js";
import type { PageSide } from "../../src/panel/messages.js";
import type { TaskEvent } from "../../src/protocol.js";
import { omit, without } from "../../src/util/omit.js";
import {
  EMPTY_STREAM,
  emptied,
  hasAfter,
  hasBefore,
  hasRoom,
  hold,
  receive,
  release,
  type SeqRange,
  type Stream,
  withPage,
} from "./conversation/stream.js";
import type { OpenEvent } from "./events.js";
import {
  extentOf,
  followsEnd,
  hasMore,
  type OpenRun,
  pageEndOf,
  seenOf,
  shownOf,
  showsFirstLoaded,
} from "./openRun.js";
import { earlier, END, later, MAX_SHOWN, PAGE, type Range } from "./range.js";

/** What part of a frame's portion is shown before an item that the reader goes to. */
const PART_BEFORE = 0.25;

/** Apply an event to the open conversation; events of other runs are ignored. Pure. */
export function reduceOpen(open: OpenRun, event: OpenEvent): OpenRun {
  switch (event.type) {
    case "task":
      return event.task.id === open.taskId ? withTask(open, event) : open;
    case "taskMissing":
      return event.taskId === open.taskId ? { ...open, problem: event.message } : open;
    case "files":
      return event.taskId === open.taskId ? { ...open, files: event.files } : open;
    case "texts":
      return event.taskId === open.taskId ? { ...open, texts: event.paths } : open;
    case "signIn":
      return event.taskId === open.taskId ? { ...open, signIn: event.commands } : open;
    case "taskDeleted":
      return event.taskId === open.taskId ? { ...open, isDeleted: true } : open;
    case "restarted":
      return event.taskId === open.taskId ? restarted(open) : open;
    case "events":
      return event.taskId === open.taskId ? { ...open, stream: received(open, event) } : open;
    case "turns":
      return event.taskId === open.taskId ? withTurns(open, event) : open;
    case "page":
      return event.taskId === open.taskId ? paged(seeking(open), event) : open;
    case "answer":
    case "answering":
      return {
        ...omit(open, "problem"),
        answering: new Set([...open.answering, event.requestId]),
      };
    case "answerFailed":
      return event.taskId === open.taskId
        ? { ...open, problem: event.message, answering: without(open.answering, event.requestId) }
        : open;
    case "inView":
      return { ...open, inView: event.range };
    case "leaveEnd":
      return open.reading === undefined ? leftEnd(open, event.seen) : open;
    case "widen":
      return showsFirstLoaded(open)
        ? { ...open, loading: "before" }
        : { ...open, endWeight: widened(open) };
    case "portion":
      return { ...open, portion: event.weight };
    case "narrow":
      return { ...open, endWeight: event.weight };
    case "earlier":
      return showingEarlier(open);
    case "later":
      return showingLater(open);
    case "reachEnd":
      return open.reading === undefined ? open : pastShown(open);
    case "jumpToEnd":
      return atEnd(open);
    case "toQuestion":
      return atQuestion(open, event);
    case "jumpTo":
      return jumpedTo(open, event.seq);
    case "readAt":
      return open.reading === undefined ? open : { ...open, at: event.seq };
    default: // What concerns the search only.
      return open;
  }
}

/** Hold new events while the reader returns to a place. */
function received(open: OpenRun, batch: Batch): Stream {
  return open.returning === undefined
    ? receive(open.stream, batch, followsEnd(open), firstShown(open))
    : hold(open.stream, batch);
}

/** Return the first event that is shown. */
function firstShown(open: OpenRun): number | undefined {
  const { items, dropped } = open.stream.conversation;
  return items[shownOf(open).start - dropped]?.seq;
}

/** Keep showing what the reader sees; what arrived since is received as for a reader elsewhere. */
function leftEnd(open: OpenRun, { taskId, stream, shown, tail, since } = seenOf(open)): OpenRun {
  if (taskId !== open.taskId) {
    return { ...open, reading: shownOf(open) };
  }
  const receiveAway = (received: Stream, batch: Batch) => receive(received, batch, false);
  return { ...open, stream: since.reduce(receiveAway, stream), reading: shown, keepsTail: tail };
}

function withTask(
  open: OpenRun,
  { task, takesMessages = false, title }: Extract<OpenEvent, { type: "task" }>,
): OpenRun {
  const named = title === undefined ? {} : { title };
  return { ...omit(open, "problem", "title", "isDeleted"), task, takesMessages, ...named };
}

/** Forget the events, which are different now; a reader who is not at the end returns to the place. */
function restarted(open: OpenRun): OpenRun {
  const { at } = open;
  const next = omit(atEnd(open), "turns", "texts", "inView", "endWeight", "find");
  return { ...next, stream: EMPTY_STREAM, ...(at === undefined ? {} : { at, returning: at }) };
}

/** Return the weight to show at the end instead of too little. */
function widened({ endWeight = END, portion = END }: OpenRun): number {
  return Math.min(MAX_SHOWN, endWeight + Math.min(END, portion));
}

function showingEarlier(open: OpenRun): OpenRun {
  const [shown, extent] = [shownOf(open), extentOf(open)];
  if (shown.start > extent.start) {
    return withReading(open, earlier(shown, extent, open.inView, open.portion));
  }
  return hasBefore(open.stream) ? { ...open, reading: shown, loading: "before" } : open;
}

/** Show a range; with another end, something else follows the items. */
function withReading(open: OpenRun, reading: Range): OpenRun {
  const next = { ...open, reading };
  return reading.end === shownOf(open).end ? next : omit(next, "keepsTail");
}

function showingLater(open: OpenRun): OpenRun {
  const [shown, extent] = [shownOf(open), extentOf(open)];
  if (shown.end < extent.end) {
    return withReading(open, later(shown, extent, open.inView, open.portion));
  }
  return hasAfter(open.stream) ? { ...open, reading: shown, loading: "after" } : open;
}

/** Show what follows the shown items; after the last one, follow the end. */
function pastShown(open: OpenRun): OpenRun {
  return hasMore(open, "after") ? showingLater(open) : atEnd(open);
}

/** Follow the end. */
export function atEnd(open: OpenRun): OpenRun {
  const following = omit(open, "reading", "returning", "sought", "loading", "keepsTail", "at");
  return { ...following, stream: release(open.stream, true) };
}

/** Show an open question: at the end, where the agent waits, or above what it did meanwhile, loaded or not. */
function atQuestion(
  open: OpenRun,
  { requestId, seq }: Extract<OpenEvent, { type: "toQuestion" }>,
): OpenRun {
  const next = atEnd(open);
  const { questions } = next.stream.conversation;
  const [at, shown] = [questions.get(requestId), shownOf(next)];
  if (at === undefined) {
    return seq !== undefined && isLeft(next.stream, seq)
      ? { ...jumpedTo(open, seq), sought: requestId }
      : next;
  }
  const isShown = shown.start <= at && at < shown.end;
  return isShown ? next : { ...next, reading: around(next, at) };
}

/** Whether an event is known, and not loaded: it is before or after what is. */
function isLeft({ events, lastSeq, newestSeq }: Stream, seq: number): boolean {
  return seq <= newestSeq && (seq < (events[0]?.seq ?? Infinity) || lastSeq < seq);
}

/** Forget the question once the page that led to it is shown. */
function seeking(open: OpenRun): OpenRun {
  return open.returning === undefined ? omit(open, "sought") : open;
}

function withTurns(open: OpenRun, { from, turns }: Extract<OpenEvent, { type: "turns" }>): OpenRun {
  return { ...open, turns: [...(open.turns ?? []).slice(0, from), ...turns] };
}

/** Show an item that is loaded, by its number; where it is shown already, the others stay. */
export function shownItem(open: OpenRun, at: number): OpenRun {
  const shown = shownOf(open);
  if (shown.start <= at && at < shown.end) {
    return open.reading === undefined ? leftEnd(open) : open;
  }
  const next = omit(open, "reading", "returning", "loading", "keepsTail", "inView");
  return { ...next, reading: around(open, at) };
}

/** Show an event; if it is not loaded, start over with a page that has it. */
export function jumpedTo(open: OpenRun, seq: number): OpenRun {
  const { events, lastSeq } = open.stream;
  const left = omit(open, "reading", "returning", "sought", "loading", "keepsTail", "inView");
  const next = { ...left, at: seq };
  const isLoaded = (events[0]?.seq ?? Infinity) <= seq && seq <= lastSeq;
  return isLoaded ? returned(next, seq) : { ...next, returning: seq, stream: emptied(open.stream) };
}

/** Show a page that arrived on the side where the reader waits for it. */
function paged(open: OpenRun, event: Extract<OpenEvent, { type: "page" }>): OpenRun {
  const { side, events } = event;
  if (isStale(open, event)) {
    return open;
  }
  if (followsEnd(open)) {
    return extended(omit(open, "loading"), side, events);
  }
  const stream = withPage(open.stream, side, events, seqsInView(open));
  const next = { ...omit(open, "loading"), stream };
  if (open.returning !== undefined) {
    return returned(next, open.returning);
  }
  if (next.stream === open.stream) {
    return next;
  }
  return side === "before" ? showingEarlier(next) : showingLater(next);
}

/** Whether a page was requested for a place that the reader has left. */
function isStale(
  { returning, stream }: OpenRun,
  { side, seq }: Extract<OpenEvent, { type: "page" }>,
): boolean {
  if (returning !== undefined) {
    return side === "after" || seq !== pageEndOf(returning);
  }
  return side === "after" ? seq !== stream.lastSeq : stream.events.length === 0;
}

/** Extend the end that the reader follows by a page, if it fits: what is loaded stays. */
function extended(open: OpenRun, side: PageSide, events: readonly TaskEvent[]): OpenRun {
  const all = { first: 0, last: Infinity };
  return hasRoom(open.stream)
    ? { ...open, stream: withPage(open.stream, side, events, all) }
    : open;
}

/** Return the events of the items in view: a call in view may end right before the next item. */
function seqsInView({ inView, stream }: OpenRun): SeqRange | undefined {
  const { items, dropped } = stream.conversation;
  return inView === undefined
    ? undefined
    : {
        first: items[inView.start - dropped]?.seq ?? 0,
        last: items[inView.end - dropped]?.seq ?? stream.lastSeq,
      };
}

/** Show the place to which the reader returns, or follow the end if it is gone. */
function returned(open: OpenRun, seq: number): OpenRun {
  const { items, dropped } = open.stream.conversation;
  const at = items.findLastIndex((item) => item.seq <= seq);
  return at < 0 ? atEnd(open) : { ...omit(open, "returning"), reading: around(open, dropped + at) };
}

/** Return what to show at first around an item, which is at the top of the view. */
function around(open: OpenRun, at: number): Range {
  const [extent, { portion = PAGE }] = [extentOf(open), open];
  const before = earlier({ start: at, end: at }, extent, undefined, portion * PART_BEFORE);
  return later(before, extent, undefined, portion * (1 - PART_BEFORE));
}
