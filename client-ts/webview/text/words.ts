import type { RunRow } from "../../src/panel/listMessages.js";
import type { StoredState } from "../../src/panel/pageTask.js";
import type { AsyncTask } from "../../src/protocol.js";
import * as outcome from "../../src/text/outcome.js";
import { omit } from "../../src/util/omit.js";
import { CONVERSATION, ENDING } from "./strings.js";

/** Return the status whose icon and color a row has. */
export function shownLook(run: RunRow, isCancelling: boolean): outcome.ShownStatus {
  return outcome.shownLook(stateOf(run, isCancelling));
}

/** Describe the status of a row in a few words. */
export function statusText(run: RunRow, isCancelling: boolean): string {
  return outcome.statusText(stateOf(run, isCancelling));
}

/** Describe the status of a run without the reason why it waits, which the conversation gives. */
export function shortStatusText(run: RunRow, isCancelling: boolean): string {
  return outcome.statusText(omit(stateOf(run, isCancelling), "waiting"));
}

function stateOf(run: RunRow, isCancelling: boolean): outcome.RunState {
  return { ...run, isAsking: run.asks !== undefined, isCancelling };
}

/** Return the error of a failed run, unless its end is explained anyway. */
export function failureDetail(
  run: Pick<AsyncTask, "status" | "endReason" | "error">,
): string | undefined {
  const { status, endReason, error } = run;
  const isExplained = endReason === "lost" || endReason === "hostExit";
  return status === "failed" && !isExplained ? error : undefined;
}

/** Describe how a run continues an earlier one, after "Continued from an earlier run". */
export function resumeWords(mode: AsyncTask["resumeMode"]): string | undefined {
  switch (mode) {
    case "session":
      return CONVERSATION.sameSession;
    case "replay":
      return CONVERSATION.replayed;
    default:
      return undefined;
  }
}

/** Describe in a sentence the state of a stored task: the sentence for what `storedText` says. */
export function storedSentence({ status, outcome: end }: StoredState): string {
  return ENDING.outcomes[end] ?? ENDING.stored[status];
}

/** Return the icon of a stored task, and the status whose color it has. */
export function storedLook(stored: StoredState): {
  readonly glyph: string;
  readonly status: string;
} {
  const status = outcome.isStopped(stored.outcome) ? "cancelled" : stored.status;
  return { glyph: outcome.storedIcon(stored), status };
}
