import type { Batch } from "../../src/panel/events/eventFeed.js";
import type { PageSide } from "../../src/panel/messages.js";
import type { PageTask } from "../../src/panel/pageTask.js";
import type { Turn } from "../../src/panel/turns/turnIndex.js";
import type { TouchedFile } from "../../src/protocol.js";
import { itemCount } from "./conversation/conversation.js";
import { EMPTY_STREAM, hasAfter, hasBefore, hasRoom, type Stream } from "./conversation/stream.js";
import { weightOf } from "./conversation/weight.js";
import type { Find } from "./find/find.js";
import { END, type Extent, latest, MAX_SHOWN, PAGE, type Range, within } from "./range.js";

/** Number of events fetched after the place to which a reader returns. */
const EVENTS_BEHIND = 60;

/** The conversation on the screen. */
export interface OpenRun {
  readonly taskId: string;
  readonly task?: PageTask;
  /** What the user calls it. */
  readonly title?: string;
  /** Whether its agent accepts messages now, as far as is known. */
  readonly takesMessages?: boolean;
  readonly stream: Stream;
  /** All turns of the run, loaded or not. */
  readonly turns?: readonly Turn[];
  /** The event that the reader has reached, unless at the end. */
  readonly at?: number;
  /** The items shown while the reader is not at the end; undefined follows the end. */
  readonly reading?: Range;
  /** Whether what follows the items stays shown, since the reader left the end and saw no more. */
  readonly keepsTail?: boolean;
  /** The items in or near the view when the reader last asked for more. */
  readonly inView?: Range;
  /** The weight of the items shown at the end, enough to fill the page. */
  readonly endWeight?: number;
  /** The weight that this machine can draw in a frame, once that is known. */
  readonly portion?: number;
  /** The event at which the reader left the page, until it is loaded again. */
  readonly returning?: number;
  /** The question to which the page at that event leads, until the reader acts. */
  readonly sought?: string;
  /** The side on which more events are loading. */
  readonly loading?: PageSide;
  /** Why the task could not be read or cancelled, or an answer not be sent. */
  readonly problem?: string;
  /** The files that an ended run changed, once they are known. */
  readonly files?: readonly TouchedFile[];
  /** The paths of the files whose changes can be shown. */
  readonly texts?: readonly string[];
  /** The commands that sign in to its agent, if it failed without a sign-in. */
  readonly signIn?: readonly string[];
  /** The run was deleted, so it cannot be resumed. */
  readonly isDeleted?: true;
  /** What the reader searches in it. */
  readonly find?: Find;
  /** Ids of the questions whose answers are being sent. */
  readonly answering: ReadonlySet<string>;
}

/** What the reader sees of the open conversation: what is drawn, while more may have arrived. */
export interface Seen {
  readonly taskId: string;
  readonly stream: Stream;
  readonly shown: Range;
  /** Whether they see what follows the items. */
  readonly tail: boolean;
  /** The batches that arrived since. */
  readonly since: readonly Batch[];
}

/** Return a conversation about which nothing is known yet. */
export function newlyOpen(taskId: string): OpenRun {
  return { taskId, stream: EMPTY_STREAM, answering: new Set() };
}

/** Return what is loaded of an open run. */
export function extentOf({ stream: { conversation } }: OpenRun): Extent {
  const { dropped, items } = conversation;
  return {
    start: dropped,
    end: itemCount(conversation),
    weigh: (at) => weightOf(items[at - dropped]),
  };
}

/** Return what is shown of an open run. */
export function shownOf(open: OpenRun): Range {
  const extent = extentOf(open);
  return open.reading === undefined ? latest(extent, open.endWeight) : within(open.reading, extent);
}

/** Whether the reader follows the end, where new events are shown at once. */
export function followsEnd({ reading, returning }: OpenRun): boolean {
  return reading === undefined && returning === undefined;
}

/** Whether what follows the items is shown: at the end of the run, as far as it is known. */
export function showsTail(open: OpenRun): boolean {
  const isLast = shownOf(open).end === extentOf(open).end && !hasAfter(open.stream);
  return isLast || open.keepsTail === true;
}

/** Return what the reader sees once the conversation is drawn. */
export function seenOf(open: OpenRun): Seen {
  const { taskId, stream } = open;
  return { taskId, stream, shown: shownOf(open), tail: showsTail(open), since: [] };
}

/** Whether more can be shown at the end: loaded items, or else events that are not loaded yet. */
export function canWiden(open: OpenRun): boolean {
  const { endWeight = END, stream, loading } = open;
  return showsFirstLoaded(open)
    ? loading === undefined && hasBefore(stream) && hasRoom(stream)
    : endWeight < MAX_SHOWN;
}

/**
 * Return the weight to show of the end if all of that arrived since the last drawing; undefined if some
 * of what was drawn remains. `part` of what was drawn fills the view; more than a frame can draw follows
 * in the next ones.
 */
export function narrowed(open: OpenRun, drawn: Range, part: number): number | undefined {
  const filling = Math.min(1, part) * (open.endWeight ?? END);
  const weight = Math.max(END, Math.min(filling, PAGE));
  const isNew = followsEnd(open) && latest(extentOf(open), weight).start >= drawn.end;
  return isNew ? weight : undefined;
}

/** Return the weight of the items that are shown, and were not before. */
export function addedWeight(open: OpenRun, before: Range): number {
  const [{ start, end }, extent] = [shownOf(open), extentOf(open)];
  let sum = 0;
  for (let at = start; at < end; at += 1) {
    sum += before.start <= at && at < before.end ? 0 : extent.weigh(at);
  }
  return sum;
}

/** Whether the first of what is loaded is shown. */
export function showsFirstLoaded(open: OpenRun): boolean {
  return shownOf(open).start === extentOf(open).start;
}

/** Whether there is more to show on a side, loaded or not. */
export function hasMore(open: OpenRun, side: PageSide): boolean {
  const [shown, extent] = [shownOf(open), extentOf(open)];
  return side === "before"
    ? shown.start > extent.start || hasBefore(open.stream)
    : shown.end < extent.end || hasAfter(open.stream);
}

/** Return after which event to end the page that leads back to a place. */
export function pageEndOf(returning: number): number {
  return returning + EVENTS_BEHIND;
}
