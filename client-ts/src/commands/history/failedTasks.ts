import { type NamedTask, quoted } from "../arguments.js";
import * as strings from "../../text/strings.js";

/** A task for which an operation failed, and why. */
export interface FailedTask {
  readonly task: NamedTask;
  readonly reason: string;
}

/** A notification with more names is too long to read. */
const MOST_NAMES = 8;

/** List the tasks by title, each with its reason. */
export function failureText(left: readonly FailedTask[]): string {
  const named = left.slice(0, MOST_NAMES).map(({ task, reason }) => `${quoted(task)}: ${reason}`);
  const more = left.length - named.length;
  return [...named, ...(more > 0 ? [strings.common.andMore(more)] : [])].join("; ");
}
