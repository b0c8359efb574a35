import type { AsyncTask } from "../../src/protocol.js";
import { itemCount } from "./conversation.js";
import type { OpenEvent } from "./events.js";
import { omit, without } from "./omit.js";
import { earlier, type Extent, later, latest, type Range, within } from "./range.js";
import { EMPTY_STREAM, receive, type Stream } from "./stream.js";

/** The conversation on the screen. */
export interface OpenRun {
  readonly taskId: string;
  readonly task?: AsyncTask;
  /** Whether its agent may be sent a message now, as far as is known. */
  readonly takesMessages?: boolean;
  readonly stream: Stream;
  /** What is shown while the reader is not at the end; undefined follows the end. */
  readonly reading?: Range;
  /** Why the task, its cancel or an answer could not be had. */
  readonly problem?: string;
  /** Ids of the questions whose answers are on their way. */
  readonly answering: ReadonlySet<string>;
}

/** A conversation of which nothing is known yet. */
export function newlyOpen(taskId: string): OpenRun {
  return { taskId, stream: EMPTY_STREAM, answering: new Set() };
}

/** What there is to show of an open run. */
export function extentOf({ stream: { conversation } }: OpenRun): Extent {
  return { start: conversation.dropped, end: itemCount(conversation) };
}

/** What is shown of it. */
export function shownOf(open: OpenRun): Range {
  const extent = extentOf(open);
  return open.reading === undefined ? latest(extent) : within(open.reading, extent);
}

/** Say what the open conversation becomes. What is told of another changes nothing. Pure. */
export function reduceOpen(open: OpenRun, event: OpenEvent): OpenRun {
  switch (event.type) {
    case "task":
      return event.task.id === open.taskId ? withTask(open, event) : open;
    case "taskMissing":
      return event.taskId === open.taskId ? { ...open, problem: event.message } : open;
    case "events":
      return event.taskId === open.taskId
        ? { ...open, stream: receive(open.stream, event.events) }
        : open;
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
    case "earlier":
      return { ...open, reading: earlier(shownOf(open), extentOf(open)) };
    case "later":
      return { ...open, reading: later(shownOf(open), extentOf(open)) };
    case "reachEnd":
      return open.reading === undefined ? open : pastShown(open);
    case "jumpToEnd":
      return omit(open, "reading");
  }
}

function withTask(
  open: OpenRun,
  { task, takesMessages = false }: Extract<OpenEvent, { type: "task" }>,
): OpenRun {
  return { ...omit(open, "problem"), task, takesMessages };
}

/** Go on where the items shown end: with further items or, behind the last, by following. */
function pastShown(open: OpenRun): OpenRun {
  const extent = extentOf(open);
  const shown = shownOf(open);
  return shown.end === extent.end
    ? omit(open, "reading")
    : { ...open, reading: later(shown, extent) };
}
