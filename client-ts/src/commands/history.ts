import * as vscode from "vscode";

import { messageOf } from "../util/errors.js";
import { inform } from "../questions/notify.js";
import { faultText, queryFault } from "../text/queryText.js";
import type { SubagentService } from "../service/service.js";
import type { TaskRef } from "../taskRef.js";
import type { HistoryTree } from "../views/historyTree.js";
import type { TaskReports } from "../views/taskReports.js";
import type { Transcripts } from "../views/transcript.js";
import { counted } from "../text/words.js";
import { taskOf, tasksOf } from "./arguments.js";
import { exportTasks } from "./exporting.js";
import { archiveTasks, deleteTasks, restoreTask } from "./housekeeping.js";
import { type ChosenTask, searchTasks } from "./taskSearch.js";
import { fileOf, pickTaskOfFile } from "./touchedFile.js";

/** What these commands act on. */
export interface HistoryCommandsContext {
  readonly service: SubagentService;
  readonly history: HistoryTree;
  readonly transcripts: Transcripts;
  readonly reports: TaskReports;
  /** The root whose tasks may be deleted; undefined until the sidecar runs. */
  readonly ownRoot: () => string | undefined;
}

/** The commands on stored tasks, by their ids or by rows. */
export function historyCommands(context: HistoryCommandsContext) {
  const { service, history, reports } = context;
  const onTask =
    (title: string, act: (task: TaskRef) => Promise<void>) => async (target?: unknown) => {
      const task = taskOf(target) ?? (await find(context, title));
      await (task === undefined ? undefined : act(task));
    };
  const onTasks =
    (title: string, choose: typeof find, act: typeof exportTasks) =>
    async (target?: unknown, selected?: unknown) => {
      const known = taskOf(target) === undefined ? await choose(context, title) : target;
      await act(service, await tasksOf(service, known, selected));
    };
  return {
    "subagentSidecar.task.open": onTask("Open Transcript", (task) =>
      context.transcripts.open(task),
    ),
    "subagentSidecar.task.find": () => open(context, find(context, "Find Task: Open Transcript")),
    "subagentSidecar.task.copyId": onTask("Copy Task ID", copyId),
    "subagentSidecar.task.export": onTasks("Export Task", find, exportTasks),
    "subagentSidecar.task.archive": onTasks("Archive Task", findOwn, archiveTasks),
    "subagentSidecar.task.delete": onTasks("Delete Task", findOwn, deleteTasks),
    "subagentSidecar.task.restore": () => restoreTask(service),
    "subagentSidecar.file.showTasks": (target?: unknown) => showTasksOfFile(context, target),
    "subagentSidecar.history.search": () => open(context, search(context)),
    "subagentSidecar.history.filter": () => filter(context),
    "subagentSidecar.history.clearFilter": () => history.setFilter(""),
    "subagentSidecar.history.refresh": () => history.refresh(),
    "subagentSidecar.history.loadMore": () => history.loadMore(),
    "subagentSidecar.history.totals": () => reports.showRendered("Task Totals", history.filter),
    "subagentSidecar.history.check": () => reports.showPage("Task History Check"),
    "subagentSidecar.history.help": () => reports.showRendered("Query Language"),
  };
}

async function open(
  { transcripts }: HistoryCommandsContext,
  chosen: Promise<ChosenTask | undefined>,
): Promise<void> {
  const found = await chosen;
  if (found !== undefined) {
    await transcripts.open(found, found.message);
  }
}

async function find(
  { service }: HistoryCommandsContext,
  title: string,
): Promise<ChosenTask | undefined> {
  await service.start();
  return searchTasks(service, { title });
}

/** As `find`, but only tasks that may be moved are offered. */
async function findOwn(
  { service, ownRoot }: HistoryCommandsContext,
  title: string,
): Promise<ChosenTask | undefined> {
  await service.start();
  const root = ownRoot();
  const roots = root === undefined ? {} : { roots: [root] };
  const { total } = await service.request("tasks/list", { ...roots, limit: 1 });
  if (total === 0) {
    void inform("No subagent's task is stored yet. Tasks of other extensions are only read.");
    return undefined;
  }
  return searchTasks(service, { title: `${title} (this extension's tasks)`, ...roots });
}

async function search(context: HistoryCommandsContext): Promise<ChosenTask | undefined> {
  const { service, history } = context;
  await service.start();
  return searchTasks(service, {
    title: "Search Task History",
    messages: true,
    buttons: [
      {
        icon: "filter",
        tooltip: "Use as Filter of the Task History",
        run: (text) => void setFilter(history, text),
      },
      {
        icon: "question",
        tooltip: "Help on the Query Language",
        run: () => void vscode.commands.executeCommand("subagentSidecar.history.help"),
      },
    ],
  });
}

async function copyId({ id }: TaskRef): Promise<void> {
  await vscode.env.clipboard.writeText(id);
  vscode.window.setStatusBarMessage(`Copied ${id}`, 3_000);
}

async function showTasksOfFile(context: HistoryCommandsContext, target: unknown): Promise<void> {
  const file = fileOf(target);
  if (file === undefined) {
    void inform(
      "Open a file that is on disk, or choose one in the Explorer, to see the tasks that touched it.",
    );
    return;
  }
  await context.service.start();
  await open(context, pickTaskOfFile(context.service, file.fsPath));
}

async function filter({ service, history }: HistoryCommandsContext): Promise<void> {
  await service.start();
  const text = await vscode.window.showInputBox({
    title: "Filter the Task History",
    prompt: "Words, or fields such as status:failed cost>1 since:7d; empty shows all",
    value: history.filter,
    validateInput: (typed) => judged(service, typed),
  });
  if (text !== undefined) {
    await setFilter(history, text);
  }
}

async function setFilter(history: HistoryTree, text: string): Promise<void> {
  await vscode.commands.executeCommand("subagentSidecar.history.focus");
  await history.setFilter(text.trim());
}

/** Say while it is typed how many tasks a filter keeps, or what is wrong with it. */
async function judged(
  service: SubagentService,
  typed: string,
): Promise<string | vscode.InputBoxValidationMessage | undefined> {
  if (typed.trim() === "") {
    return undefined;
  }
  try {
    const { matched } = await service.request("tasks/list", { query: typed, limit: 1 });
    const fit = matched === 1 ? "fits" : "fit";
    const message = `${counted(matched, "task")} ${fit}`;
    return { message, severity: vscode.InputBoxValidationSeverity.Info };
  } catch (error) {
    const fault = queryFault(error);
    return fault === undefined ? messageOf(error) : faultText(fault);
  }
}
