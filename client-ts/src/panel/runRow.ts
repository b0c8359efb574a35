import type { AsyncTask } from "../protocol.js";
import { askedLine } from "../questions/questions.js";
import { oneLine } from "../text/words.js";
import { ownerWords } from "../windows/owner.js";
import type { RunRow } from "./messages.js";

/** How much of a goal a row of the list contains, in characters. */
const ROW_GOAL_CHARS = 240;

/** Return a run as the page's list shows it. */
export function rowOf(task: AsyncTask): RunRow {
  const { id, subagentName, status, endReason } = task;
  const { queuedAt, queuePosition, waiting, launchedAt, completedAt } = task;
  const { errorKind, mode, model, changes, progress } = task;
  const goal = oneLine(task.goalPrompt, ROW_GOAL_CHARS);
  const asks = task.attention && askedLine(task.attention, ROW_GOAL_CHARS);
  const times = { endReason, queuedAt, queuePosition, waiting, launchedAt, completedAt };
  const from = ownerWords(task);
  const known = {
    ...times,
    from,
    errorKind,
    mode,
    model,
    changes,
    asks,
    retrying: progress.retrying,
  };
  return { id, subagentName, status, goal, ...withoutAbsent(known) };
}

function withoutAbsent<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]: Exclude<T[K], undefined> };
}
