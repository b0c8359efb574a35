import type { Batch } from "../../src/panel/events/eventFeed.js";
import type { Stream } from "./conversation/stream.js";
import type { Range } from "./range.js";

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
