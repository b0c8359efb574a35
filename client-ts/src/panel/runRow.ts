import type { Mark } from "../marks/marks.js";
import type { AsyncTask } from "../protocol.js";
import { askedLine, inFolder } from "../questions/questions.js";
import { EXAMPLE_RUNNER } from "../exampleNames.js";
import { isLive } from "../text/outcome.js";
import { allTokens } from "../text/runWords.js";
import { oneLine } from "../text/words.js";
import { isOpenFolder, ownerWords } from "../windows/owner.js";
import { basename } from "node:path";

import type { RunRow } from "./listMessages.js";

/** How much of a goal a row of the list contains, in characters. */
const ROW_GOAL_CHARS = 240;
const FOLDER_CHARS = 40;

/** Return a run as the page's list shows it, with what the user notes about it. */
export function rowOf(task: AsyncTask, mark: Mark = {}): RunRow {
  const { id, subagentName, status, endReason } = task;
  const { queuedAt, queuePosition, waiting, launchedAt, completedAt } = task;
  const { errorKind, mode, model, effort, changes, progress, placement } = task;
  const goal = oneLine(task.goalPrompt, ROW_GOAL_CHARS);
  const asks =
    task.attention && askedLine(inFolder(task.attention, task.workspaceDir), ROW_GOAL_CHARS);
  const times = { endReason, queuedAt, queuePosition, waiting, launchedAt, completedAt };
  const from = ownerWords(task);
  const belongsHere = isOpenFolder(task.workspaceDir) || task.runner === EXAMPLE_RUNNER;
  const folder = belongsHere ? undefined : oneLine(basename(task.workspaceDir), FOLDER_CHARS);
  const isUnknown = !isLive(task) && allTokens(progress) > 0;
  const cost = progress.cost ?? (isUnknown ? null : undefined);
  const tool = status === "running" ? progress.currentTool : undefined;
  const known = {
    ...times,
    ...{ from, folder, cost, tool, placement, parent: task.parentTaskId },
    continues: task.resumes === undefined ? undefined : (true as const),
    errorKind,
    mode,
    model,
    effort,
    changes,
    asks,
    retrying: progress.retrying,
    awaitedServers: progress.awaitedServers,
    unmet: progress.unmet,
  };
  return { id, subagentName, status, goal, ...mark, ...withoutAbsent(known) };
}

function withoutAbsent<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]: Exclude<T[K], undefined> };
}
