import type { TaskEvent } from "../../protocol.js";
import type { SubagentService } from "../../service/service.js";
import { PAGE_CHARS, shortened, sizeOf } from "./eventSize.js";

/** How many events are read at once. */
const PAGE_EVENTS = 200;

/** Return a page of events right before one; none before the first. */
export async function eventsBefore(
  service: SubagentService,
  taskId: string,
  before: number,
): Promise<TaskEvent[]> {
  const first = Math.max(0, before - 1 - PAGE_EVENTS);
  let events: TaskEvent[] = [];
  let last = first;
  while (last < before - 1) {
    const limit = before - 1 - last;
    const page = await service.request("asyncTasks/events", { taskId, afterSeq: last, limit });
    const newest = page.events.at(-1);
    if (newest === undefined) {
      break;
    }
    last = newest.seq;
    events = lastPage([...events, ...page.events.map(shortened)]);
  }
  return events;
}

/** Return a page of events right after one. */
export async function eventsAfter(
  service: SubagentService,
  taskId: string,
  after: number,
): Promise<TaskEvent[]> {
  const params = { taskId, afterSeq: after, limit: PAGE_EVENTS };
  const { events } = await service.request("asyncTasks/events", params);
  const all = events.map(shortened);
  return all.slice(0, countWithin(all));
}

function lastPage(events: TaskEvent[]): TaskEvent[] {
  return events.slice(events.length - countWithin(events.toReversed()));
}

/** Count the first events that fill a page: at least one, if there is one. */
function countWithin(events: readonly TaskEvent[]): number {
  let size = 0;
  const beyond = events.findIndex((event, at) => {
    size += sizeOf(event);
    return at > 0 && size > PAGE_CHARS;
  });
  return beyond < 0 ? events.length : beyond;
}
