import * as vscode from "vscode";

import { confirm, inform, warn } from "../questions/notify.js";
import type { HousekeepingResult, PutAwayTask } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { ago, rowText } from "../text/words.js";
import { nameOf, type NamedTask, quoted } from "./arguments.js";
import { type LeftTask, leftText } from "./leftTasks.js";

const TITLE_CHARS = 80;
/** A question with more titles than this would not fit on a small screen. */
const MOST_TITLES = 8;

/** Move tasks of the own root to the trash, once the user has agreed, and offer to undo it. */
export async function deleteTasks(
  service: SubagentService,
  tasks: readonly NamedTask[],
): Promise<void> {
  const { own, others } = parted(service, tasks);
  if (own.length === 0 || (await agreesToDelete(own))) {
    await putAway(service, "Deleted", own, others);
  }
}

/** Move tasks of the own root to the archive, and offer to undo it. */
export async function archiveTasks(
  service: SubagentService,
  tasks: readonly NamedTask[],
): Promise<void> {
  const { own, others } = parted(service, tasks);
  await putAway(service, "Archived", own, others);
}

/** Part the tasks of the own root from others: those are left, though the own root may hold their ids too. */
function parted(
  service: SubagentService,
  tasks: readonly NamedTask[],
): { own: NamedTask[]; others: LeftTask[] } {
  const isOwn = ({ root }: NamedTask): boolean =>
    root === undefined || root === service.info?.storageRoot;
  const others = tasks.filter((task) => !isOwn(task));
  return {
    own: tasks.filter(isOwn),
    others: others.map((task) => ({ task, reason: "it belongs to another extension" })),
  };
}

async function agreesToDelete(tasks: readonly NamedTask[]): Promise<boolean> {
  const agreed = "Move to Trash";
  const one = tasks.length === 1;
  const question = `Delete ${one ? "the task " : ""}${nameOf(tasks)}?`;
  const folders = one ? "Its folder moves" : "Their folders move";
  const trash = `${folders} to the trash of the task store, from which ${one ? "it" : "they"} can be restored.`;
  const detail = one ? trash : `${listed(tasks)}\n\n${trash}`;
  return confirm(question, detail, agreed);
}

function listed(tasks: readonly NamedTask[]): string {
  const shown = tasks.slice(0, MOST_TITLES).map(quoted);
  const more = tasks.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more.toLocaleString()} more`] : [])].join("\n");
}

function idsOf(tasks: readonly NamedTask[]): string[] {
  return tasks.map(({ id }) => id);
}

const METHODS = { Deleted: "tasks/delete", Archived: "tasks/archive" } as const;

/** Put tasks away and tell what became of them, once for all. Throws when nothing was done. */
async function putAway(
  service: SubagentService,
  done: keyof typeof METHODS,
  tasks: readonly NamedTask[],
  others: readonly LeftTask[],
): Promise<void> {
  const failed =
    tasks.length === 0
      ? []
      : leftOf(tasks, await service.request(METHODS[done], { taskIds: idsOf(tasks) }));
  const left = [...failed, ...others];
  const moved = tasks.filter((task) => !left.some((each) => each.task === task));
  if (moved.length === 0) {
    if (left.length > 0) {
      throw new Error(leftText(left));
    }
    return; // none was chosen
  }
  const undo = "Undo";
  const told = `${done} ${nameOf(moved)}.`;
  const answer =
    left.length === 0
      ? await inform(told, undo)
      : await warn(`${told} Left: ${leftText(left)}`, undo);
  if (answer === undo) {
    await restore(service, moved);
  }
}

function leftOf(tasks: readonly NamedTask[], { failed }: HousekeepingResult): LeftTask[] {
  const reasons = new Map(failed.map(({ id, message }) => [id, message]));
  return tasks.flatMap((task) => {
    const reason = reasons.get(task.id);
    return reason === undefined ? [] : [{ task, reason }];
  });
}

/** Have the user choose a task from the archive or the trash, and bring it back. */
export async function restoreTask(service: SubagentService): Promise<void> {
  const { items, total } = await service.request("tasks/putAway", {});
  if (total === 0) {
    void inform("No task is in the archive or in the trash.");
    return;
  }
  const left = total > items.length ? ` (the newest ${items.length} of ${total})` : "";
  const placeHolder = `Which task shall be brought back?${left}`;
  const rows = items.map((task) => restorable(task, Date.now()));
  const options = { placeHolder, matchOnDescription: true, matchOnDetail: true };
  const chosen = await vscode.window.showQuickPick(rows, options);
  if (chosen !== undefined) {
    await restore(service, [chosen.task]);
  }
}

function restorable(task: PutAwayTask, now: number) {
  const { id, title, shelf, at } = task;
  const place = shelf === "trash" ? `deleted ${ago(at, now)}` : "archived";
  return {
    label: rowText(title, TITLE_CHARS) || "(untitled)",
    description: place,
    detail: id,
    task,
  };
}

async function restore(service: SubagentService, tasks: readonly NamedTask[]): Promise<void> {
  const left = leftOf(tasks, await service.request("tasks/restore", { taskIds: idsOf(tasks) }));
  if (left.length > 0) {
    throw new Error(leftText(left));
  }
}
