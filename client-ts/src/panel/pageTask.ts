import { cutMiddle } from "../text/words.js";
import type { AsyncTask } from "../protocol.js";
import { sizeOf, TEXT_CHARS } from "./events/eventSize.js";

type Outcome = NonNullable<AsyncTask["output"]> | NonNullable<AsyncTask["partial"]>;

/**
 * Return the task as the page receives it, with texts cut that are too long to read. The goal stays
 * whole, since it can be launched again.
 */
export function pageTask(task: AsyncTask): AsyncTask {
  if (sizeOf(task) <= TEXT_CHARS) {
    return task;
  }
  const { error, output, partial } = task;
  return {
    ...task,
    ...(error === undefined ? {} : { error: cutMiddle(error, TEXT_CHARS) }),
    ...(output === undefined ? {} : { output: shortOutcome(output) }),
    ...(partial === undefined ? {} : { partial: shortOutcome(partial) }),
  };
}

function shortOutcome<T extends Outcome>(outcome: T): T {
  const { final_message: text, emitted_vars: variables } = outcome;
  const short = Object.entries(variables).map(
    ([name, value]) =>
      [
        name,
        sizeOf(value) <= TEXT_CHARS ? value : cutMiddle(JSON.stringify(value), TEXT_CHARS),
      ] as const,
  );
  return {
    ...outcome,
    ...(text === undefined ? {} : { final_message: cutMiddle(text, TEXT_CHARS) }),
    emitted_vars: Object.fromEntries(short),
  };
}
