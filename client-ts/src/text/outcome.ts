import type {
  AsyncStatus,
  AsyncTask,
  EndReason,
  ErrorKind,
  Retrying,
  TaskInfo,
  Waiting,
} from "../protocol.js";
import { clock, duration } from "../l10n/format.js";
import { errorWords, retryWords, startingWords } from "./runWords.js";
import { outcome as words } from "./outcomeStrings.js";

/** A status, or what a person should know instead: a cancel is under way, or an answer is needed. */
export type ShownStatus = AsyncStatus | "cancelling" | "asking";

/** What the words for a run depend on. */
export interface RunState extends Pick<AsyncTask, "status" | "endReason" | "queuePosition"> {
  readonly errorKind?: ErrorKind;
  readonly retrying?: Retrying;
  /** MCP servers that may be why its agent is still starting. */
  readonly awaitedServers?: readonly string[];
  readonly waiting?: Waiting;
  /** Whether the run waits for an answer. */
  readonly isAsking: boolean;
  /** Whether a cancel was requested and is not confirmed. */
  readonly isCancelling?: boolean;
}

/** What the icon of a stored task depends on; some lists do not know the outcome. */
export type StoredLook = Pick<TaskInfo, "status"> & Partial<Pick<TaskInfo, "outcome">>;

/** The names of codicons; `~spin` turns them in a page, which stops them where motion is reduced. */
export const STATUS_ICON: Readonly<Record<ShownStatus, string>> = {
  queued: "clock",
  running: "sync~spin",
  cancelling: "sync~spin",
  asking: "bell-dot",
  completed: "pass",
  failed: "error",
  cancelled: "circle-slash",
};

const STORED_ICON: Readonly<Record<TaskInfo["status"], string>> = {
  active: "circle-large-outline",
  completed: "pass",
  failed: "error",
  abandoned: "circle-slash",
  unknown: "question",
};

/** Return what to show as the status of a run. */
export function shownStatus({ status, isAsking, isCancelling }: RunState): ShownStatus {
  if (!isLive({ status })) {
    return status;
  }
  return isCancelling === true ? "cancelling" : isAsking ? "asking" : status;
}

/** Return the status whose icon and color stand for a run: an interrupted one did not fail by itself. */
export function shownLook(run: RunState): ShownStatus {
  const shown = shownStatus(run);
  return shown === "failed" && run.endReason === "hostExit" ? "cancelled" : shown;
}

/** Return the icon of a stored task; what was interrupted or cancelled looks as such a run does. */
export function storedIcon({ status, outcome }: StoredLook): string {
  return isStopped(outcome) ? STATUS_ICON.cancelled : STORED_ICON[status];
}

/** Whether a stored task was stopped from outside. */
export function isStopped(outcome: StoredLook["outcome"]): boolean {
  return outcome === "interrupted" || outcome === "cancelled";
}

/** Describe the status of a stored task with the words for runs. */
export function storedText({ status, outcome: end }: Pick<TaskInfo, "status" | "outcome">): string {
  return words.storedOutcomes[end] ?? words.stored[status];
}

/** Describe the status of a run in a few words: `Queued (next)`, `Timed out`, `Failed: network error`. */
export function statusText(run: RunState): string {
  const shown = shownStatus(run);
  const { endReason, errorKind, retrying, awaitedServers } = run;
  if (shown === "queued") {
    return queueText(run);
  }
  if (shown === "running" && retrying !== undefined) {
    return retryWords(retrying);
  }
  if (shown === "running" && awaitedServers !== undefined) {
    return startingWords(awaitedServers);
  }
  if (shown === "failed" && errorKind !== undefined) {
    return `${words.status.failed}: ${errorWords(errorKind)}`;
  }
  return isLive(run) || endReason === undefined ? words.status[shown] : words.end[endReason];
}

function queueText({ queuePosition: place, waiting }: RunState): string {
  const queued =
    place === undefined
      ? words.status.queued
      : place === 1
        ? words.nextInQueue
        : words.inQueue(place);
  if (waiting === undefined) {
    return queued;
  }
  const { reason, until } = waiting;
  const why = errorWords(reason);
  return `${queued}: ${until === undefined ? why : words.heldUntil(why, clock(until))}`;
}

/** Describe in a sentence what a run does or how it ended. */
export function statusSentence({
  status,
  endReason,
  placement,
}: Pick<AsyncTask, "status" | "endReason" | "placement">): string {
  if (endReason === "lost" && placement?.kind === "ray") {
    return words.lostOnFleet;
  }
  return endReason === undefined ? words.statusSentence[status] : words.endSentence[endReason];
}

/** Return what a person can do about an end; undefined if its error explains that already. */
export function endAdvice(endReason: EndReason | undefined): string | undefined {
  switch (endReason) {
    case "maxTurns":
      return words.raiseTurns;
    case "budget":
      return words.raiseBudget;
    case "hostExit":
    case "lost":
      return words.resumeAdvice;
    default:
      return undefined;
  }
}

/** Whether a run is queued or running. */
export function isLive({ status }: Pick<RunState, "status">): boolean {
  return status === "queued" || status === "running";
}

/** Format how long a run has waited, has run or ran; undefined if that is unknown. `now` in ms. */
export function elapsed(
  run: Pick<AsyncTask, "status" | "endReason" | "launchedAt" | "completedAt"> & {
    readonly queuedAt?: number;
  },
  now: number,
): string | undefined {
  const from = run.status === "queued" ? run.queuedAt : run.launchedAt;
  const to = isLive(run) ? now : run.completedAt;
  // A lost run ended before its loss was noticed.
  const isKnown = run.endReason !== "lost" && from !== undefined && to !== undefined;
  return isKnown ? duration(to - from) : undefined;
}

/** Return what the words and the icon for a run depend on. */
export function stateOf(task: AsyncTask): RunState {
  const { retrying, awaitedServers } = task.progress;
  return {
    ...task,
    isAsking: task.attention !== undefined,
    ...(retrying === undefined ? {} : { retrying }),
    ...(awaitedServers === undefined ? {} : { awaitedServers }),
  };
}

/** Describe the status of a run in a few words, as the panel does. */
export function runStatus(task: AsyncTask): string {
  return statusText(stateOf(task));
}
