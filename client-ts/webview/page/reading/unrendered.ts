import type { Item } from "../../model/conversation/items.js";
import { weightOf } from "../../model/conversation/weight.js";
import { type OpenRun, shownOf, showsTail } from "../../model/openRun.js";
import type { Unrendered } from "../../view/markdown/remembering.js";
import { unrenderedResult } from "../../view/conversation/ending.js";
import { unrenderedText } from "../../view/conversation/item.js";

/** Return the texts that are shown of a conversation and have not been rendered. */
export function unrendered(open: OpenRun): Unrendered[] {
  const { items, dropped } = open.stream.conversation;
  const { start, end } = shownOf(open);
  const texts = items.slice(start - dropped, end - dropped).flatMap(textOf);
  const result = showsTail(open) ? unrenderedResult(open) : undefined;
  return result === undefined ? texts : [...texts, result];
}

function textOf(item: Item): Unrendered[] {
  const render = unrenderedText(item);
  return render === undefined ? [] : [{ weight: weightOf(item), render }];
}
