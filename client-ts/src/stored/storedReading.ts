import { isDeepStrictEqual } from "node:util";

import type { StoredMessage } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { taskParams, type TaskRef } from "../taskRef.js";

const PAGE = 500;
/** A task rarely gains more between two readings. */
const NEWEST = 50;
/** A conversation with more messages than this shows the newest of them. */
const MOST_MESSAGES = 20_000;

type Requests = Pick<SubagentService, "request">;

/** The messages of a stored task without gaps, to its end; a task that is too long lacks the oldest. */
export interface Reading {
  readonly title: string;
  readonly messages: readonly StoredMessage[];
}

/** Read the newest messages of a task. */
export function readTask(service: Requests, ref: TaskRef): Promise<Reading> {
  return readBack(service, ref, PAGE, []);
}

/** Read what a task has gained: from its end back to a message that is as it was. */
export function readGrown(service: Requests, ref: TaskRef, before: Reading): Promise<Reading> {
  return readBack(service, ref, NEWEST, before.messages);
}

async function readBack(
  service: Requests,
  ref: TaskRef,
  newest: number,
  known: readonly StoredMessage[],
): Promise<Reading> {
  const params = taskParams(ref);
  const { task } = await service.request("tasks/get", params);
  const pages: StoredMessage[][] = [];
  let count = 0;
  let cursor: string | undefined;
  do {
    const place = cursor === undefined ? { limit: newest } : { limit: PAGE, cursor };
    const request = { ...params, ...place, kind: "ui", from: "end" } as const;
    const { messages, nextCursor } = await service.request("tasks/messages", request);
    pages.unshift(messages);
    count += messages.length;
    const same = placeOf(messages[0], known);
    if (same !== undefined) {
      pages.unshift(known.slice(0, same));
      break;
    }
    cursor = nextCursor;
  } while (cursor !== undefined && count < MOST_MESSAGES);
  return { title: task.title, messages: pages.flat() };
}

/** Return where a message is among the known ones; undefined if it is new or was different. */
function placeOf(
  message: StoredMessage | undefined,
  known: readonly StoredMessage[],
): number | undefined {
  const [oldest] = known;
  if (message === undefined || oldest === undefined) {
    return undefined;
  }
  const place = message.index - oldest.index;
  return isDeepStrictEqual(message, known[place]) ? place : undefined;
}
