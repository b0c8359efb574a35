import { isDeepStrictEqual } from "node:util";

import type { TaskEvent } from "../protocol.js";
import { eventsOf } from "./storedEvents.js";
import type { Reading } from "./storedReading.js";

/** The events of a stored task as they were answered, and as its messages were read last. */
export interface StoredLog {
  /** Numbered from 1 without gaps; what was answered once stays. */
  readonly events: readonly TaskEvent[];
  readonly read: readonly TaskEvent[];
  readonly reading: Reading;
}

/** Return the log of a task that is read for the first time. */
export function newLog(reading: Reading): StoredLog {
  const read = eventsOf(reading.messages, 1, reading.title);
  return { events: read, read, reading };
}

/** Add what is new in a task; undefined if what was read before has changed. */
export function grownLog(
  { events, read: before }: StoredLog,
  { read, reading }: StoredLog,
): StoredLog | undefined {
  const known = before.slice(0, -1).every((event, at) => isDeepStrictEqual(event, read[at]));
  const [last, now] = [before.at(-1), read[before.length - 1]];
  const rest = !known || (last !== undefined && now === undefined) ? undefined : restOf(last, now);
  if (rest === undefined) {
    return undefined;
  }
  const more = [...rest, ...read.slice(before.length)];
  const numbered = more.map((event, at) => ({ ...event, seq: events.length + 1 + at }));
  return { events: [...events, ...numbered], read, reading };
}

/** Return what was added to a text that was being written; undefined if another one replaced it. */
function restOf(last: TaskEvent | undefined, now: TaskEvent | undefined): TaskEvent[] | undefined {
  if (last === undefined || now === undefined || isDeepStrictEqual(last, now)) {
    return [];
  }
  const isText = last.type === "message" || last.type === "thought";
  if (!isText || last.type !== now.type || last.messageId !== now.messageId) {
    return undefined;
  }
  const isLonger = now.text.length > last.text.length && now.text.startsWith(last.text);
  return isLonger ? [{ ...now, text: now.text.slice(last.text.length) }] : undefined;
}
