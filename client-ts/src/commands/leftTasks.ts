import { type NamedTask, quoted } from "./arguments.js";

/** A task with which something could not be done, and why. */
export interface LeftTask {
  readonly task: NamedTask;
  readonly reason: string;
}

/** More names make a notification that nobody reads. */
const MOST_NAMES = 8;

/** Say with which tasks something could not be done, each by its name and with the reason. */
export function leftText(left: readonly LeftTask[]): string {
  const named = left.slice(0, MOST_NAMES).map(({ task, reason }) => `${quoted(task)}: ${reason}`);
  const more = left.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more.toLocaleString()} more`] : [])].join("; ");
}
