import { omit } from "../../src/util/omit.js";
import { keyOf } from "./conversation/items.js";
import type { Event } from "./events.js";
import {
  begunFind,
  type Find,
  settled,
  stepped,
  textAt,
  withAround,
  withQuery,
  withRead,
} from "./find/find.js";
import { END, GOAL, LOG, PLAN, VARIABLES } from "./find/parts.js";
import type { OpenRun } from "./openRun.js";
import { atEnd, jumpedTo, shownItem } from "./reduceOpen.js";

/** The parts that follow the items. */
const AT_END: ReadonlySet<string> = new Set([VARIABLES, LOG, END]);

/** Apply what an event means for the search in the open conversation, after the conversation took it. */
export function reduceFind(before: OpenRun, open: OpenRun, event: Event): OpenRun {
  const found = findAfter(open, event);
  const changed = found && isChanged(before, open) ? withAround(found, open) : found;
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
  const { find } = open;
  switch (event.type) {
    case "find": {
      const begun = find ?? begunFind(event.from ?? 0);
      return event.text === undefined ? begun : withQuery(begun, event.text, open);
    }
    case "closeFind":
      return undefined;
    case "findText":
      return find && withQuery(find, event.text, open);
    case "findNext":
      return find && stepped(find, event.by);
    case "read":
      return find?.reading === event.seq && event.taskId === open.taskId
        ? omit(withRead(find, event.events, open), "reading")
        : find;
    case "revealed":
      return find && { ...find, isRevealing: false };
    default:
      return find;
  }
}

/** Whether something changed that is shown around the items or decides how they are shown. */
function isChanged(before: OpenRun, open: OpenRun): boolean {
  const [was, is] = [before.stream.conversation, open.stream.conversation];
  return (
    before.task !== open.task ||
    before.files !== open.files ||
    before.signIn !== open.signIn ||
    was.plan !== is.plan ||
    was.variables !== is.variables ||
    was.log !== is.log ||
    was.result !== is.result
  );
}

/** Note when the whole run, as far as known, has been read. */
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
  if (text === undefined || text.key === PLAN) {
    return open; // The plan is always in view.
  }
  if (AT_END.has(text.key)) {
    return atEnd(open);
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
