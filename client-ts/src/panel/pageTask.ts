import { cutMiddle } from "../text/cutting.js";
import type { AsyncTask, TaskInfo } from "../protocol.js";
import { shortName, shortVariable, sizeOf, TEXT_CHARS } from "./events/eventSize.js";
import { MAX_VARIABLES } from "./events/variables.js";

type Outcome = NonNullable<AsyncTask["output"]> | NonNullable<AsyncTask["partial"]>;

/** The state of a stored task, as its row names it, and what it may have cost, in USD. */
export type StoredState = Pick<TaskInfo, "status" | "outcome"> & {
  readonly estimatedCost?: number;
};

/** A task as the page receives it. */
export interface PageTask extends AsyncTask {
  /** Absent from a run, whose own status is exact. */
  readonly stored?: StoredState;
}

/**
 * Return the task as the page receives it, with texts cut that are too long to read. The goal stays
 * whole, since it can be launched again.
 */
export function pageTask(task: PageTask): PageTask {
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
  return {
    ...outcome,
    ...(text === undefined ? {} : { final_message: cutMiddle(text, TEXT_CHARS) }),
    emitted_vars: Object.fromEntries(shortVariables(variables)),
  };
}

function shortVariables(variables: Readonly<Record<string, unknown>>): Map<string, unknown> {
  const short = new Map<string, unknown>();
  const newest = Object.entries(variables).slice(-MAX_VARIABLES - 1);
  for (const [name, value] of newest) {
    short.set(shortName(name), shortVariable(value));
  }
  return short;
}
