import type { AsyncTask } from "../protocol.js";
import { type RunState, statusText } from "./outcome.js";

/** Return what the words and the icon for a run depend on. */
export function stateOf(task: AsyncTask): RunState {
  const { retrying } = task.progress;
  return {
    ...task,
    isAsking: task.attention !== undefined,
    ...(retrying === undefined ? {} : { retrying }),
  };
}

/** Describe the status of a run in a few words, as the panel does. */
export function runStatus(task: AsyncTask): string {
  return statusText(stateOf(task));
}
