import { showQuickPick } from "../../questions/quickInput.js";
import { confirm, inform, showError, warn } from "../../questions/notify.js";
import { ErrorCode, type HousekeepingResult, type RemovedTask } from "../../protocol.js";
import type { SubagentService } from "../../service/service.js";
import { ago } from "../../l10n/format.js";
import { rowText } from "../../text/words.js";
import { nameOf, type NamedTask, quoted } from "../arguments.js";
import { type FailedTask, failureText } from "./failedTasks.js";
import * as strings from "../../text/strings.js";

const TITLE_CHARS = 80;
/** A dialog with more titles does not fit on a small screen. */
const MOST_TITLES = 8;

/** Move tasks of the own root to the trash after the user confirms, and offer to undo it. */
export async function deleteTasks(
  service: SubagentService,
  tasks: readonly NamedTask[],
): Promise<void> {
  const { own, others } = split(service, tasks);
  if (own.length === 0 || (await agreesToDelete(own))) {
    await remove(service, DELETION, own, others);
  }
}

/** Move tasks of the own root to the archive, and offer to undo it. */
export async function archiveTasks(
  service: SubagentService,
  tasks: readonly NamedTask[],
): Promise<void> {
  const { own, others } = split(service, tasks);
  await remove(service, ARCHIVAL, own, others);
}

/** Separate tasks of the own root from others, which may have the same ids and stay untouched. */
function split(
  service: SubagentService,
  tasks: readonly NamedTask[],
): { own: NamedTask[]; others: FailedTask[] } {
  const isOwn = ({ root }: NamedTask): boolean =>
    root === undefined || root === service.info?.storageRoot;
  const others = tasks.filter((task) => !isOwn(task));
  return {
    own: tasks.filter(isOwn),
    others: others.map((task) => ({ task, reason: strings.history.foreign })),
  };
}

async function agreesToDelete(tasks: readonly NamedTask[]): Promise<boolean> {
  const { deleteOne, deleteMany, trashOne, trashMany, moveToTrash } = strings.history;
  const name = nameOf(tasks);
  return tasks.length === 1
    ? confirm(deleteOne(name), trashOne, moveToTrash)
    : confirm(deleteMany(name), `${listed(tasks)}\n\n${trashMany}`, moveToTrash);
}

function listed(tasks: readonly NamedTask[]): string {
  const shown = tasks.slice(0, MOST_TITLES).map(quoted);
  const more = tasks.length - shown.length;
  return [...shown, ...(more > 0 ? [strings.common.andMore(more)] : [])].join("\n");
}

function idsOf(tasks: readonly NamedTask[]): string[] {
  return tasks.map(({ id }) => id);
}

/** How a task is removed from the list, and how that is reported. */
interface Removal {
  readonly method: "tasks/delete" | "tasks/archive";
  readonly done: (tasks: string) => string;
  readonly failed: (tasks: string) => string;
}

const { deleted, notDeleted, archived, notArchived } = strings.history;
const DELETION: Removal = { method: "tasks/delete", done: deleted, failed: notDeleted };
const ARCHIVAL: Removal = { method: "tasks/archive", done: archived, failed: notArchived };

/**
 * Remove tasks and report the result once for all of them. Throws when nothing was done. Do not wait until the report
 * is closed, which may be much later: what called this gives the focus back when it returns.
 */
async function remove(
  service: SubagentService,
  { method, done, failed }: Removal,
  tasks: readonly NamedTask[],
  others: readonly FailedTask[],
): Promise<void> {
  const refused =
    tasks.length === 0
      ? []
      : failuresOf(tasks, await service.request(method, { taskIds: idsOf(tasks) }));
  const left = [...refused, ...others];
  const moved = tasks.filter((task) => !left.some((each) => each.task === task));
  if (moved.length === 0) {
    if (left.length > 0) {
      throw new Error(failureText(left));
    }
    return; // none was chosen
  }
  const { undo } = strings.history;
  const message = done(nameOf(moved));
  const answer =
    left.length === 0
      ? inform(message, undo)
      : warn(`${message} ${failed(failureText(left))}`, undo);
  void undone(service, moved, answer).catch(showError);
}

async function undone(
  service: SubagentService,
  moved: readonly NamedTask[],
  answer: Thenable<string | undefined>,
): Promise<void> {
  if ((await answer) === strings.history.undo) {
    await restore(service, moved);
  }
}

function failuresOf(tasks: readonly NamedTask[], { failed }: HousekeepingResult): FailedTask[] {
  const reasons = new Map(failed.map((each) => [each.id, reasonOf(each)]));
  return tasks.flatMap((task) => {
    const reason = reasons.get(task.id);
    return reason === undefined ? [] : [{ task, reason }];
  });
}

/** Say why a task was not changed, after its title. */
function reasonOf({ id, code, message }: HousekeepingResult["failed"][number]): string {
  const { foreign, isGone, isListed, isRunning } = strings.history;
  const words = new Map<number, string>([
    [ErrorCode.ReadOnlyStore, foreign],
    [ErrorCode.TaskNotFound, isGone],
  ]);
  const states = [
    [/is running/u, isRunning],
    [/is neither deleted nor archived/u, isListed],
  ] as const;
  const known = states.find(([state]) => state.test(message))?.[1] ?? words.get(code);
  const named = [`${id}: `, `${id} `].find((start) => message.startsWith(start)) ?? "";
  return known ?? message.slice(named.length);
}

/** Let the user choose a task from the archive or the trash, and restore it. */
export async function restoreTask(service: SubagentService): Promise<void> {
  const { items, total } = await service.request("tasks/listRemoved", {});
  if (total === 0) {
    void inform(strings.history.nothingRemoved);
    return;
  }
  const { selectToRestore, newestOf } = strings.history;
  const bound = total > items.length ? newestOf(items.length, total) : "";
  const placeHolder = `${selectToRestore}${bound}`;
  const rows = items.map((task) => restorable(task, Date.now()));
  const options = { placeHolder, matchOnDescription: true };
  const chosen = await showQuickPick(rows, options);
  if (chosen !== undefined) {
    await restore(service, [chosen.task]);
  }
}

function restorable(task: RemovedTask, now: number) {
  const { title, shelf, at } = task;
  const { inTrash, inArchive } = strings.history;
  const place = shelf === "trash" ? inTrash(ago(at, now)) : inArchive;
  return {
    label: rowText(title, TITLE_CHARS) || strings.common.untitled,
    description: place,
    task,
  };
}

async function restore(service: SubagentService, tasks: readonly NamedTask[]): Promise<void> {
  const left = failuresOf(tasks, await service.request("tasks/restore", { taskIds: idsOf(tasks) }));
  if (left.length > 0) {
    throw new Error(failureText(left));
  }
}
