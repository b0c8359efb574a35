import type { AsyncTask } from "../protocol.js";
import { isLive } from "../text/outcome.js";

/** How many ended runs a window knows; older ones are in the task history. */
export const MOST_ENDED = 500;

/** Return the runs that a window keeps: all that are live, and the first of those that ended. */
export function newestRuns<T extends Pick<AsyncTask, "status">>(runs: readonly T[]): readonly T[] {
  if (runs.length <= MOST_ENDED) {
    return runs;
  }
  let ended = 0;
  return runs.filter((run) => isLive(run) || (ended += 1) <= MOST_ENDED);
}
