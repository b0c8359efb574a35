import type { SentLaunch } from "../../../src/panel/messages.js";
import { omit } from "../../../src/util/omit.js";

/** The draft of the next launch. */
export interface Draft {
  readonly subagentName?: string;
  /** Other subagents that get the same goal. */
  readonly also?: readonly string[];
  readonly goal: string;
  /** The paths of attached files. */
  readonly files?: readonly string[];
}

/** Whether the user has written another goal since the launch. */
export function isOtherGoal(draft: Draft, sent: SentLaunch): boolean {
  return draft.goal !== sent.goalPrompt;
}

/** Keep in a draft what the user has added since it was launched. */
export function unsentOf(draft: Draft, sent: SentLaunch): Draft {
  const { also = [], files = [] } = draft;
  const newFiles = files.filter((path) => sent.files?.includes(path) !== true);
  const isSame = also.join("\n") === (sent.also ?? []).join("\n");
  return {
    ...omit(draft, "also", "files"),
    ...(!isSame && also.length > 0 && { also }),
    ...(newFiles.length > 0 && { files: newFiles }),
    goal: isOtherGoal(draft, sent) ? draft.goal : "",
  };
}
