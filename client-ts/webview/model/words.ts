import type { AsyncStatus, AsyncTask, EndReason } from "../../src/protocol.js";
import type { RunRow } from "../../src/panel/messages.js";
import { errorWords, retryWords } from "../../src/text/runWords.js";
import { duration } from "./format.js";

/** A status, the time between a request to cancel and its answer, or a wait for a person. */
export type ShownStatus = AsyncStatus | "cancelling" | "asking";

export const STATUS_WORD: Record<ShownStatus, string> = {
  queued: "Queued",
  running: "Running",
  cancelling: "Cancelling",
  asking: "Waiting for you",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** The names of codicons; `~spin` turns them. */
export const STATUS_ICON: Record<ShownStatus, string> = {
  queued: "watch",
  running: "loading~spin",
  cancelling: "loading~spin",
  asking: "bell-dot",
  completed: "pass",
  failed: "error",
  cancelled: "circle-slash",
};

/** The end reason in two or three words, where the status alone does not say it. */
export const REASON_WORD: Partial<Record<EndReason, string>> = {
  timeout: "Timed out",
  inactivity: "Fell silent",
  startupTimeout: "Did not start",
  maxTurns: "Out of turns",
  budget: "Over budget",
  hostExit: "Interrupted",
  lost: "Lost",
};

const REASON_SENTENCE: Record<EndReason, string> = {
  goal: "The subagent finished its work.",
  error: "The subagent ended with an error.",
  timeout: "The subagent was stopped at its time limit.",
  inactivity: "The subagent was stopped because nothing was heard from it for too long.",
  startupTimeout: "The subagent was stopped because it did not start in time.",
  maxTurns: "The subagent was stopped at its limit of turns.",
  budget: "The subagent was stopped because its budget was used up.",
  cancelledByUser: "You cancelled this subagent.",
  cancelledByModel: "The model cancelled this subagent.",
  hostExit: "The subagent was stopped when the window closed or the sidecar was shut down.",
  lost: "This run was lost when the background process crashed.",
};

const STATUS_SENTENCE: Record<AsyncStatus, string> = {
  queued: "The subagent waits for its turn.",
  running: "The subagent is at work.",
  completed: REASON_SENTENCE.goal,
  failed: "The subagent failed.",
  cancelled: "This subagent was cancelled.",
};

/** What ended a run, or what it does, as a sentence. */
export function statusSentence(run: Pick<RunRow, "status" | "endReason">): string {
  return run.endReason === undefined ? STATUS_SENTENCE[run.status] : REASON_SENTENCE[run.endReason];
}

/** What a person may do about an end, if there is something that its error does not say. */
export function remedy(endReason: EndReason | undefined): string | undefined {
  switch (endReason) {
    case "maxTurns":
      return "More turns can be allowed with maxTurns in the definition.";
    case "budget":
      return "The budget can be raised in the settings.";
    case "hostExit":
    case "lost":
      return "Its output so far is saved. Resume it to continue.";
    default:
      return undefined;
  }
}

/** What is known of a failure beyond its reason. */
export function failureDetail(
  run: Pick<AsyncTask, "status" | "endReason" | "error">,
): string | undefined {
  const { status, endReason, error } = run;
  const isSaid = endReason === "lost" || endReason === "hostExit"; // their error says the same again
  return status === "failed" && !isSaid ? error : undefined;
}

/** The state of a run in a word or a few. */
export function statusWord(run: RunRow, cancelling: boolean): string {
  const shown = shownStatus(run, cancelling);
  if (shown === "cancelling" || shown === "asking") {
    return STATUS_WORD[shown];
  }
  if (run.status === "queued" && run.queuePosition !== undefined) {
    return run.queuePosition === 1 ? "Queued (next)" : `Queued (#${run.queuePosition})`;
  }
  if (run.status === "running" && run.retrying !== undefined) {
    return retryWords(run.retrying);
  }
  if (run.errorKind !== undefined) {
    return `${STATUS_WORD[run.status]}: ${errorWords(run.errorKind)}`;
  }
  const reason = run.endReason === undefined ? undefined : REASON_WORD[run.endReason];
  return reason ?? STATUS_WORD[run.status];
}

export function shownStatus(run: RunRow, cancelling: boolean): ShownStatus {
  if (!isLive(run)) {
    return run.status;
  }
  if (cancelling) {
    return "cancelling";
  }
  return run.asks === undefined ? run.status : "asking";
}

export function isLive({ status }: Pick<RunRow, "status">): boolean {
  return status === "queued" || status === "running";
}

/** Say how a run continues an earlier one, after "Continued from an earlier run". */
export function resumeWords(mode: AsyncTask["resumeMode"]): string | undefined {
  switch (mode) {
    case "session":
      return "(same session)";
    case "replay":
      return "(new session, history replayed)";
    default:
      return undefined;
  }
}

/** How long a run has been waiting, running, or ran; undefined where a time is not known. */
export function elapsed(run: RunRow, now: number): string | undefined {
  const from = run.status === "queued" ? run.queuedAt : run.launchedAt;
  const to = isLive(run) ? now : run.completedAt;
  // When the end of a lost run was noticed says nothing of how long it ran.
  const isKnown = run.endReason !== "lost" && from !== undefined && to !== undefined;
  return !isKnown ? undefined : duration(to - from);
}
