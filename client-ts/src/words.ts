import type { AsyncTask, EndReason, TaskInfo } from "./protocol.js";

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
    return "needs an answer";
  }
  if (task.status === "queued") {
    return task.queuePosition === undefined ? "queued" : `queued, number ${task.queuePosition}`;
  }
  if (task.status === "running") {
    return task.progress.currentTool === undefined
      ? "running"
      : `running, ${task.progress.currentTool}`;
  }
  return task.endReason === undefined ? task.status : ENDS[task.endReason];
}

/** Say in a few words what became of a stored task. */
export function storedStatus(task: TaskInfo): string {
  return task.outcome === "unknown" || task.outcome === task.status
    ? task.status
    : `${task.status}, ${task.outcome}`;
}

/** Put text on one line and cut it to `most` characters. */
export function oneLine(text: string, most: number): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

/** Say how long something took or is ago, in its largest unit: `3 h`, `12 s`. */
export function span(ms: number): string {
  for (const [unit, size] of UNITS) {
    if (ms >= size) {
      return `${Math.floor(ms / size)} ${unit}`;
    }
  }
  return `${Math.max(0, Math.floor(ms / 1000))} s`;
}

/** Say how long ago a time (ms since the epoch) was. */
export function ago(time: number, now: number): string {
  return now - time < 10_000 ? "now" : `${span(now - time)} ago`;
}

/** Write a time as the user's locale has it. */
export function localTime(time: number): string {
  return new Date(time).toLocaleString();
}
