import type { AsyncTask, InitializeResult } from "../protocol.js";
import { isLive } from "./outcome.js";
import * as strings from "./strings.js";

/** What is known of the sidecar's runners; undefined before it has started. */
interface Known {
  readonly info: Pick<InitializeResult, "runners"> | undefined;
}

/** Whether a run accepts messages: it is running, and its runner takes more than a prompt. */
export function takesMessages({ info }: Known, { status, runner }: AsyncTask): boolean {
  const type = info?.runners.find(({ name }) => name === runner)?.type;
  return status === "running" && type !== "command";
}

/** Whether a run can be resumed in a new one. */
export function isResumable(task: AsyncTask): boolean {
  return !isLive(task);
}

/** Describe when the agent gets a message that the sidecar has accepted. */
export function deliveryWords(delivery: "now" | "nextTurn"): string {
  return delivery === "now" ? strings.runs.delivered : strings.runs.deliveredLater;
}
