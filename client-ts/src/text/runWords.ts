import type { AsyncTask, Changes, EndReason, ErrorKind, Progress, Retrying } from "../protocol.js";
import { counted, oneLine } from "./words.js";

const TEXT_CHARS = 80;
const NAME_CHARS = 60;

const ERRORS: Record<ErrorKind, string> = {
  auth: "not signed in",
  rateLimit: "rate limit reached",
  overloaded: "model overloaded",
  network: "network error",
  contextLength: "conversation too long for the model",
  modelNotFound: "model not found",
  other: "model error",
};

const ENDS: Record<EndReason, string> = {
  goal: "goal reached",
  error: "failed with an error",
  timeout: "ran out of time",
  inactivity: "fell silent",
  startupTimeout: "did not start in time",
  maxTurns: "used up its turns",
  budget: "used up its budget",
  cancelledByUser: "cancelled by you",
  cancelledByModel: "cancelled by the model",
  hostExit: "ended with the window",
  lost: "lost in a crash of the sidecar",
};

/** Say in a few words where a run stands. */
export function runStatus(task: AsyncTask): string {
  if (task.attention !== undefined) {
    return "waiting for your answer";
  }
  if (task.status === "queued") {
    const { queuePosition: place } = task;
    return place === undefined ? "queued" : place === 1 ? "queued (next)" : `queued (#${place})`;
  }
  if (task.status === "running" && task.progress.retrying !== undefined) {
    return retryWords(task.progress.retrying);
  }
  if (task.status === "running") {
    return task.progress.currentTool === undefined
      ? "running"
      : `running, ${task.progress.currentTool}`;
  }
  if (task.errorKind !== undefined) {
    return `failed: ${errorWords(task.errorKind)}`;
  }
  return task.endReason === undefined ? task.status : ENDS[task.endReason];
}

/** Say why the model or its server failed: `rate limit reached`. */
export function errorWords(kind: ErrorKind): string {
  return ERRORS[kind];
}

/** Say which request is being repeated and why: `Retrying (3): rate limited (429)`. */
export function retryWords({ attempt, status, text }: Retrying): string {
  const why = oneLine(text, TEXT_CHARS);
  const code = status === undefined || why.includes(String(status)) ? "" : ` (${status})`;
  return `Retrying (${attempt})${why === "" ? "" : `: ${why}`}${code}`;
}

/** Say how much a run changed: `2 files +10 −3`; undefined if nothing. */
export function changeWords(changes: Changes | undefined): string | undefined {
  return changes === undefined || changes.files === 0
    ? undefined
    : `${counted(changes.files, "file")} +${changes.additions} −${changes.deletions}`;
}

/** Say which model a run uses and in which mode, as far as the agent reports them: `["m-1", "plan mode"]`. */
export function modelWords({ model, mode }: Pick<AsyncTask, "model" | "mode">): string[] {
  return [
    ...(model === undefined ? [] : [oneLine(model, NAME_CHARS)]),
    ...(mode === undefined ? [] : [`${oneLine(mode, NAME_CHARS)} mode`]),
  ];
}

/** Add up the tokens of a run, those read from and written to a cache included. */
export function allTokens(
  used: Pick<Progress, "inputTokens" | "outputTokens" | "cacheReads" | "cacheWrites">,
): number {
  const { inputTokens = 0, outputTokens = 0, cacheReads = 0, cacheWrites = 0 } = used;
  return inputTokens + outputTokens + cacheReads + cacheWrites;
}
