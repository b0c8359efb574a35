import type { FormContext } from "../questions/context.js";

/** What items are drawn from, apart from themselves. An unfinished run may still end its calls. */
export interface ItemContext extends FormContext {
  readonly taskId: string;
  /** The folder in which the run works. */
  readonly folder: string | undefined;
}
