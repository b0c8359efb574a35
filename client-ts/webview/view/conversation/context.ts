import type { View } from "../common/view.js";

/** What items are drawn from, apart from themselves. */
export interface ItemContext {
  readonly taskId: string;
  /** Whether the run is unfinished, so that its calls may still end and its questions are open. */
  readonly live: boolean;
  /** The folder in which the run works. */
  readonly folder: string | undefined;
  readonly answering: ReadonlySet<string>;
  readonly send: View["send"];
}
