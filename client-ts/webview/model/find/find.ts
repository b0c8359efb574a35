import type { TaskEvent } from "../../../src/protocol.js";
import { wholeFrom, wholeUntil } from "../../../src/text/cutting.js";
import { omit } from "../../../src/util/omit.js";
import {
  applyEvents,
  type Conversation,
  EMPTY_CONVERSATION,
} from "../conversation/conversation.js";
import { occurrencesOf } from "./occurrences.js";
import { type Around, type PartText, textsOf } from "./texts.js";

/** More matches than this are not counted. */
export const MOST_MATCHES = 10_000;
/** How much around a match is read out, in characters. */
const AROUND = 40;

/** The occurrence `nth` in the text `at`, both from 0. */
export interface Match {
  readonly at: number;
  readonly nth: number;
}

/** The search in the open conversation. */
export interface Find {
  readonly query: string;
  /** The event from which on the first match is wanted. */
  readonly from: number;
  /** All that was read of the run, shown or not. */
  readonly conversation: Conversation;
  readonly readSeq: number;
  /** The event after which events are being read. */
  readonly reading?: number;
  /** Whether all of the run was read; more may have happened since. */
  readonly isWhole: boolean;
  readonly texts: readonly PartText[];
  readonly matches: readonly Match[];
  /** The number of the match that the reader is at. */
  readonly current?: number;
  /** Whether it has yet to be scrolled to. */
  readonly isRevealing: boolean;
}

/** Return a search that has read nothing; the first match is wanted from an event on. */
export function begunFind(from: number): Find {
  return {
    ...{ query: "", from, readSeq: 0, texts: [], matches: [] },
    ...{ isWhole: false, isRevealing: false },
    conversation: EMPTY_CONVERSATION,
  };
}

/** Search for another text. The reader stays at what matches still, or continues from there. */
export function withQuery(find: Find, query: string, around: Around): Find {
  const from = textAt(find)?.seq ?? find.from;
  const next = { ...omit(find, "current"), query, from, matches: [], isRevealing: false };
  return matched(next, textsOf(around, find.conversation), 0);
}

/** Add events that were read. Without any, there are none left up to the newest. */
export function withRead(find: Find, events: readonly TaskEvent[], around: Around): Find {
  const conversation = applyEvents(find.conversation, events);
  const readSeq = events.at(-1)?.seq ?? around.stream.newestSeq;
  return withAround({ ...find, conversation, readSeq }, around);
}

/** Search what changed in the texts: in what was read, or around it. */
export function withAround(find: Find, around: Around): Find {
  const texts = textsOf(around, find.conversation);
  const known = texts.findIndex((each, at) => each.text !== find.texts[at]?.text);
  return known < 0 && texts.length === find.texts.length
    ? find
    : matched(find, texts, known < 0 ? texts.length : known);
}

/** Find the matches in texts that changed, from one on. */
function matched(find: Find, texts: readonly PartText[], from: number): Find {
  const { query, matches } = find;
  const kept = matches.filter(({ at }) => at < from);
  const found: Match[] = [];
  for (let at = from; at < texts.length; at += 1) {
    const room = MOST_MATCHES - kept.length - found.length;
    const spans = room > 0 ? occurrencesOf(texts[at]?.text ?? "", query, room) : [];
    found.push(...spans.map((_, nth) => ({ at, nth })));
  }
  return { ...find, texts, matches: [...kept, ...found] };
}

/** Go to the first match after where the reader is, if it is known; after the last one to the first. */
export function settled(find: Find): Find {
  const { current, matches, texts, from, readSeq, isWhole } = find;
  if (current === undefined ? matches.length === 0 : current < matches.length) {
    return find;
  }
  const next = matches.findIndex(({ at }) => (texts[at]?.seq ?? 0) >= from);
  const isFirst = isWhole || (texts[matches[next]?.at ?? -1]?.seq ?? Infinity) <= readSeq;
  if (next < 0 ? !isWhole || matches.length === 0 : !isFirst) {
    return current === undefined ? find : omit(find, "current");
  }
  return { ...find, current: Math.max(0, next), isRevealing: true };
}

/** Go to the next match, or the one before; from the last to the first. */
export function stepped(find: Find, by: 1 | -1): Find {
  const { matches, current = by === 1 ? -1 : matches.length } = find;
  return matches.length === 0
    ? find
    : {
        ...find,
        current: (current + by + matches.length) % matches.length,
        isRevealing: true,
      };
}

/** Return the text with the match that the reader is at. */
export function textAt({ texts, matches, current }: Find): PartText | undefined {
  const match = current === undefined ? undefined : matches[current];
  return match && texts[match.at];
}

/** Return the words around the match that the reader is at, for those who do not see it. */
export function excerptOf(find: Find): string {
  const match = find.matches[find.current ?? -1];
  const text = textAt(find)?.text ?? "";
  const span = occurrencesOf(text, find.query, (match?.nth ?? 0) + 1).at(-1);
  return span === undefined
    ? ""
    : text
        .slice(
          wholeFrom(text, Math.max(0, span.start - AROUND)),
          wholeUntil(text, span.end + AROUND),
        )
        .replace(/[\s\0]+/gu, " ")
        .trim();
}
