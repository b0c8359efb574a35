import { omit } from "../../src/util/omit.js";
import { keyOf } from "./conversation/items.js";
import type { Event } from "./events.js";
import {
  begunFind,
  type Find,
  settled,
  stepped,
  textAt,
  withQuery,
  withRead,
} from "./find/find.js";
import { GOAL, RESULT } from "./find/texts.js";
import { atEnd, jumpedTo, type OpenRun, shownItem } from "./openRun.js";

/** Apply what an event means for the search in the open conversation, after the conversation took it. */
export function reduceFind(before: OpenRun, open: OpenRun, event: Event): OpenRun {
  const changed = findAfter(open, event);
  if (changed === undefined) {
    return open.find === undefined ? open : omit(open, "find");
  }
  const find = wanting(settled(readUpTo(changed, open)), open);
  const next = find === open.find ? open : { ...open, find };
  const arrived = before.returning !== undefined && open.returning === undefined;
  const moves = find.isRevealing && (arrived || isElsewhere(before.find, find));
  return moves ? revealing(next, find) : next;
}

function findAfter(open: OpenRun, event: Event): Find | undefined {
  const { find, task } = open;
  switch (event.type) {
    case "find": {
      const begun = find ?? begunFind(event.from ?? 0);
      return event.text === undefined ? begun : withQuery(begun, event.text, task);
    }
    case "closeFind":
      return undefined;
    case "findText":
      return find && withQuery(find, event.text, task);
    case "findNext":
      return find && stepped(find, event.by);
    case "read":
      return find?.reading === event.seq && event.taskId === open.taskId
        ? omit(withRead(find, event.events, task, open.stream.newestSeq), "reading")
        : find;
    case "revealed":
      return find && { ...find, isRevealing: false };
    default:
      return find;
  }
}

/** Note once all of the run is read, as far as it is known. */
function readUpTo(find: Find, { stream }: OpenRun): Find {
  return find.isWhole || find.readSeq < stream.newestSeq ? find : { ...find, isWhole: true };
}

/** Read on, one page at a time. */
function wanting(find: Find, { stream }: OpenRun): Find {
  return find.query === "" || find.reading !== undefined || find.readSeq >= stream.newestSeq
    ? find
    : { ...find, reading: find.readSeq };
}

function isElsewhere(before: Find | undefined, { current, matches }: Find): boolean {
  const [was, is] = [before?.matches[before.current ?? -1], matches[current ?? -1]];
  return !before?.isRevealing || was?.at !== is?.at || was?.nth !== is?.nth;
}

/** Show the part with the current match, loaded or not. */
function revealing(open: OpenRun, find: Find): OpenRun {
  const text = textAt(find);
  const [first] = find.conversation.items;
  if (text === undefined || text.key === RESULT) {
    return text === undefined ? open : atEnd(open);
  }
  const isGoal = text.key === GOAL; // It is above the first item.
  if (isGoal && first === undefined) {
    return open;
  }
  const key = isGoal && first !== undefined ? keyOf(first) : text.key;
  const { items, dropped } = open.stream.conversation;
  const at = items.findIndex((item) => keyOf(item) === key);
  return at < 0
    ? jumpedTo(open, isGoal ? (first?.seq ?? 0) : text.seq)
    : shownItem(open, dropped + at);
}
