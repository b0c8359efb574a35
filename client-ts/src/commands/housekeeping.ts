import * as vscode from "vscode";

import type { HousekeepingResult, PutAwayTask } from "../protocol.js";
import type { SubagentService } from "../service.js";
import { ago, oneLine } from "../words.js";

const TITLE_CHARS = 80;

/** Move a task of the own root to the trash, once the user has agreed, and offer to undo it. */
export async function deleteTask(service: SubagentService, taskId: string): Promise<void> {
  const { task } = await service.request("tasks/get", { taskId });
  const title = oneLine(task.title, TITLE_CHARS);
  const agreed = "Move to Trash";
  const question = `Delete the task “${title}”?`;
  const detail = "Its folder moves to the trash of the task store, from which it can be restored.";
  const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, agreed);
  if (answer === agreed) {
    done(await service.request("tasks/delete", { taskIds: [task.id] }));
    await offerUndo(service, task.id, `Deleted “${title}”.`);
  }
}

/** Move a task of the own root to the archive, and offer to undo it. */
export async function archiveTask(service: SubagentService, taskId: string): Promise<void> {
  const { task } = await service.request("tasks/get", { taskId });
  done(await service.request("tasks/archive", { taskIds: [task.id] }));
  await offerUndo(service, task.id, `Archived “${oneLine(task.title, TITLE_CHARS)}”.`);
}

/** Have the user choose a task from the archive or the trash, and bring it back. */
export async function restoreTask(service: SubagentService): Promise<void> {
  const { items, total } = await service.request("tasks/putAway", {});
  if (total === 0) {
    void vscode.window.showInformationMessage("No task is in the archive or in the trash.");
    return;
  }
  const left = total > items.length ? ` (the newest ${items.length} of ${total})` : "";
  const placeHolder = `Which task shall be brought back?${left}`;
  const rows = items.map((task) => restorable(task, Date.now()));
  const options = { placeHolder, matchOnDescription: true, matchOnDetail: true };
  const chosen = await vscode.window.showQuickPick(rows, options);
  if (chosen !== undefined) {
    await restore(service, chosen.detail);
  }
}

function restorable({ id, title, shelf, at }: PutAwayTask, now: number) {
  const place = shelf === "trash" ? `deleted ${ago(at, now)}` : "archived";
  return { label: oneLine(title, TITLE_CHARS) || "(untitled)", description: place, detail: id };
}

async function restore(service: SubagentService, taskId: string): Promise<void> {
  done(await service.request("tasks/restore", { taskIds: [taskId] }));
}

async function offerUndo(service: SubagentService, taskId: string, told: string): Promise<void> {
  const undo = "Undo";
  if ((await vscode.window.showInformationMessage(told, undo)) === undo) {
    await restore(service, taskId);
  }
}

function done({ failed: [failure] }: HousekeepingResult): void {
  if (failure !== undefined) {
    throw new Error(failure.message);
  }
}
