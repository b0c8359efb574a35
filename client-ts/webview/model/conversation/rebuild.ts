import { type Conversation, type Cuts, EMPTY_CONVERSATION } from "./conversation.js";
import { keyOf } from "./items.js";

/** Number of items that stay when earlier ones are dropped. */
const LEAST_ITEMS = 10;

/** Drop the items that begin before an event, except the last few. */
export function dropBefore(conversation: Conversation, seq: number): Conversation {
  const { items, dropped, tails } = conversation;
  const kept = items.findIndex((item) => item.seq >= seq);
  const drop = Math.max(0, Math.min(kept < 0 ? items.length : kept, items.length - LEAST_ITEMS));
  const first = dropped + drop;
  return {
    ...conversation,
    dropped: first,
    items: items.slice(drop),
    tails: new Map([...tails].filter(([, at]) => at >= first)),
  };
}

/** Keep what is known about the whole run, without items; the next item has the number `first`. */
export function withoutItems(conversation: Conversation, first: number): Conversation {
  const { log, variables, result, usage, plan } = conversation;
  return {
    ...EMPTY_CONVERSATION,
    dropped: first,
    log,
    variables,
    ...(result === undefined ? {} : { result }),
    ...(usage === undefined ? {} : { usage }),
    ...(plan === undefined ? {} : { plan }),
  };
}

/** Number the items from `first`, which may be negative. */
export function renumbered(conversation: Conversation, first: number): Conversation {
  const by = first - conversation.dropped;
  const { questions, tails, calls } = conversation;
  const moved = (places: ReadonlyMap<string, number>) =>
    new Map([...places].map(([key, at]) => [key, at + by]));
  return {
    ...conversation,
    dropped: first,
    questions: moved(questions),
    tails: moved(tails),
    calls: new Map([...calls].map(([key, open]) => [key, open.map((at) => at + by)])),
  };
}

/** Return where the messages are split. */
export function cutsOf({ items }: Conversation): Cuts {
  const cuts = new Map<number, number[]>();
  for (const item of items) {
    if (item.kind === "message" && item.offset !== undefined) {
      cuts.set(item.seq, [...(cuts.get(item.seq) ?? []), item.offset]);
    }
  }
  return cuts;
}

/** Replace items and blocks by equal ones of an earlier state, which are drawn already. */
export function reusing(conversation: Conversation, before: Conversation): Conversation {
  const known = new Map(before.items.map((item) => [keyOf(item), item]));
  const items = conversation.items.map((item) => {
    const same = known.get(keyOf(item));
    if (item.kind === "message" && same?.kind === "message") {
      return isSame(item.block, same.block) ? { ...item, block: same.block } : item;
    }
    return same !== undefined && isSame(item, same) ? same : item;
  });
  return { ...conversation, items };
}

/** Whether two values from JSON are equal, member by member. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other || !isObject(one) || !isObject(other)) {
    return one === other;
  }
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length && keys.every((key) => isSame(one[key], other[key]))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
