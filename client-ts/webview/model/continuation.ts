import { cutMiddle } from "../../src/text/cutting.js";
import { CONTINUATION } from "../text/strings.js";
import { blockSource } from "./conversation/blocks.js";
import type { PageTask } from "../../src/panel/pageTask.js";
import type { State } from "./state.js";

const LAST_CHARS = 2_000;
const MOST_FILES = 20;

/** Write the goal that continues the open task with another agent: its goal, files and last words. */
export function continuation({ open }: State): string {
  const { task, files = [], stream } = open ?? {};
  const goal = task?.goalPrompt.trim() ?? "";
  const names = files.slice(0, MOST_FILES).map(({ path }) => path);
  const last = stream?.conversation.items.findLast((item) => item.kind === "message");
  const words = last?.kind === "message" ? cutMiddle(blockSource(last.block), LAST_CHARS) : "";
  return [
    ...(goal === "" ? [] : [titled(goal)]),
    isCompleted(task) ? CONTINUATION.completed : CONTINUATION.origin,
    ...(names.length === 0 ? [] : [CONTINUATION.files(names)]),
    ...(words === "" ? [] : [CONTINUATION.last(words)]),
    nextOf(task, words !== ""),
  ].join("\n\n");
}

/** Say what is to do: of a completed task or one that ended with a question, only the user knows. */
function nextOf(task: PageTask | undefined, hasWords: boolean): string {
  if (isCompleted(task)) {
    return CONTINUATION.more;
  }
  return hasWords && task?.stored?.outcome === "waiting" ? CONTINUATION.answer : CONTINUATION.next;
}

/** Whether a goal ends where the user was to write what comes next. */
export function lacksNext(goal: string): boolean {
  return [CONTINUATION.more, CONTINUATION.answer].some((end) => goal.trim().endsWith(end.trim()));
}

function isCompleted(task: PageTask | undefined): boolean {
  return task?.stored?.status === "completed";
}

/** Begin with the goal, but not twice where the task continued another one. */
function titled(goal: string): string {
  return goal.startsWith(CONTINUATION.goal("")) ? goal : CONTINUATION.goal(goal);
}
