import type { AsyncTask, InitializeResult } from "./protocol.js";
import { isLive } from "./text/taskTable.js";

/** What the sidecar tells of its runners; undefined before it has told. */
interface Known {
  readonly info: Pick<InitializeResult, "runners"> | undefined;
}

/** Whether a run may be sent a message: it runs, by a runner not known to take its prompt alone. */
export function takesMessages({ info }: Known, { status, runner }: AsyncTask): boolean {
  const type = info?.runners.find(({ name }) => name === runner)?.type;
  return status === "running" && type !== "command";
}

/** Whether a run may be gone on with, in a new one. */
export function isResumable(task: AsyncTask): boolean {
  return !isLive(task);
}

/** Say when an agent is given a message that the sidecar has taken. */
export function deliveryWords(delivery: "now" | "nextTurn"): string {
  return delivery === "now" ? "Delivered." : "Queued. Will be delivered after the current turn.";
}
