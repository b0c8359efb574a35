import * as vscode from "vscode";

import { showInputBox } from "../../questions/quickInput.js";
import { refusalWords } from "../../refusals/refusalWords.js";
import { inform } from "../../questions/notify.js";
import { queryErrorText, queryError } from "../../text/queryText.js";
import type { SubagentService } from "../../service/service.js";
import type { TaskRef } from "../../taskRef.js";
import type { ReportPage } from "../../views/reportPage.js";
import type { TotalsPage } from "../../views/totalsPage.js";
import type { TaskReports } from "../../views/taskReports.js";
import type { Transcripts } from "../../views/transcript.js";
import { taskOf, tasksOf } from "../arguments.js";
import { chooseExport } from "./exporting.js";
import { exportTotals } from "./exportingTotals.js";
import { archiveTasks, deleteTasks, restoreTask } from "./housekeeping.js";
import { type ChosenTask, searchTasks } from "./taskSearch.js";
import { fileOf, pickTaskOfFile } from "./touchedFile.js";
import * as strings from "../../text/strings.js";

/** The history in the list. */
export interface HistoryView {
  readonly filter: string;
  setFilter(filter: string): Promise<void>;
  loadMore(): Promise<void>;
  refresh(): Promise<void>;
}

/** What these commands act on. */
export interface HistoryCommandsContext {
  readonly service: SubagentService;
  readonly history: HistoryView;
  readonly transcripts: Transcripts;
  readonly reports: TaskReports;
  readonly diagnosis: Pick<ReportPage, "show">;
  readonly totals: Pick<TotalsPage, "query" | "show">;
  /** The root whose tasks may be deleted; undefined until the sidecar runs. */
  readonly ownRoot: () => string | undefined;
  /** Report a failure of a command that has returned, named by its id. */
  readonly failed: (id: string, error: unknown) => void;
}

const EXPORT = "subagentSidecar.task.export";
const FILTER = "subagentSidecar.history.filter";
/** The editor's own command that shows the list. */
const LIST_FOCUS = "subagentSidecar.chat.focus";

/** Let a command return before its work is done, so that the list gets the focus back at once. */
function inBackground(
  { failed }: HistoryCommandsContext,
  id: string,
  work: Promise<void> | undefined,
): void {
  void work?.catch((error: unknown) => {
    failed(id, error);
  });
}

/** The commands on stored tasks, by their ids or by rows. */
export function historyCommands(context: HistoryCommandsContext) {
  const { service, history, reports, diagnosis, totals } = context;
  const onTask =
    (title: string, act: (task: TaskRef) => Promise<void>) => async (target?: unknown) => {
      const task = taskOf(target) ?? (await find(context, title));
      await (task === undefined ? undefined : act(task));
    };
  const onTasks =
    (title: string, choose: typeof find, act: typeof archiveTasks) =>
    async (target?: unknown, selected?: unknown) => {
      const known = taskOf(target) === undefined ? await choose(context, title) : target;
      await act(service, await tasksOf(service, known, selected));
    };
  return {
    "subagentSidecar.task.open": onTask(strings.history.findToOpen, (task) =>
      context.transcripts.open(task),
    ),
    "subagentSidecar.task.find": () => open(context, find(context, strings.history.findToOpen)),
    "subagentSidecar.task.copyId": onTask(strings.history.findToCopy, copyId),
    [EXPORT]: onTasks(strings.history.findToExport, find, async (from, tasks) => {
      const write = await chooseExport(from, tasks);
      inBackground(context, EXPORT, write?.());
    }),
    "subagentSidecar.task.archive": onTasks(strings.history.findToArchive, findOwn, archiveTasks),
    "subagentSidecar.task.delete": onTasks(strings.history.findToDelete, findOwn, deleteTasks),
    "subagentSidecar.task.restore": () => restoreTask(service),
    "subagentSidecar.file.showTasks": (target?: unknown) => showTasksOfFile(context, target),
    "subagentSidecar.history.search": () => open(context, search(context)),
    [FILTER]: () => filter(context),
    "subagentSidecar.history.clearFilter": () => history.setFilter(""),
    "subagentSidecar.history.refresh": () => history.refresh(),
    "subagentSidecar.history.loadMore": () => history.loadMore(),
    "subagentSidecar.history.totals": () => totals.show(),
    "subagentSidecar.history.totalsCsv": () => exportTotals(service, totals.query()),
    "subagentSidecar.history.check": () => diagnosis.show(),
    "subagentSidecar.history.help": () => reports.showRendered(strings.reports.queryHelp),
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

/** Like `find`, but offer only tasks of the own root, which can be moved. */
async function findOwn(
  { service, ownRoot }: HistoryCommandsContext,
  title: string,
): Promise<ChosenTask | undefined> {
  await service.start();
  const root = ownRoot();
  const roots = root === undefined ? {} : { roots: [root] };
  const { total } = await service.request("tasks/list", { ...roots, limit: 1 });
  if (total === 0) {
    void inform(strings.history.noOwn);
    return undefined;
  }
  return searchTasks(service, { title, ...roots });
}

async function search(context: HistoryCommandsContext): Promise<ChosenTask | undefined> {
  const { service, history } = context;
  await service.start();
  return searchTasks(service, {
    title: strings.history.search,
    messages: true,
    buttons: [
      {
        icon: "filter",
        tooltip: strings.history.useAsFilter,
        run: (text) => {
          inBackground(context, FILTER, setFilter(history, text));
        },
      },
      {
        icon: "question",
        tooltip: strings.history.help,
        run: () => void vscode.commands.executeCommand("subagentSidecar.history.help"),
      },
    ],
  });
}

async function copyId({ id }: TaskRef): Promise<void> {
  await vscode.env.clipboard.writeText(id);
  vscode.window.setStatusBarMessage(strings.history.copied(id), 3_000);
}

async function showTasksOfFile(context: HistoryCommandsContext, target: unknown): Promise<void> {
  const file = fileOf(target);
  if (file === undefined) {
    void inform(strings.history.selectFile);
    return;
  }
  await context.service.start();
  await open(context, pickTaskOfFile(context.service, file.fsPath));
}

async function filter(context: HistoryCommandsContext): Promise<void> {
  const { service, history } = context;
  await service.start();
  const text = await showInputBox({
    title: strings.history.filter,
    prompt: strings.history.filterPrompt,
    value: history.filter,
    ignoreFocusOut: true, // else a click elsewhere would end it, and the list would take the focus from there
    validateInput: (typed) => preview(service, typed),
  });
  if (text !== undefined) {
    // The box gives the focus back to what had it, but not to the page of a view. Before the work, which may be slow.
    await vscode.commands.executeCommand(LIST_FOCUS);
    inBackground(context, FILTER, history.setFilter(text.trim()));
  }
}

async function setFilter(history: HistoryView, text: string): Promise<void> {
  // Without the focus, which may come late and would close a box that the user opens meanwhile.
  await vscode.commands.executeCommand(LIST_FOCUS, { preserveFocus: true });
  await history.setFilter(text.trim());
}

/** Show, while the user types, how many tasks match a filter or what is wrong with it. */
async function preview(
  service: SubagentService,
  typed: string,
): Promise<string | vscode.InputBoxValidationMessage | undefined> {
  if (typed.trim() === "") {
    return undefined;
  }
  try {
    const { matched } = await service.request("tasks/list", { query: typed, limit: 1 });
    const message = strings.history.match(matched);
    return { message, severity: vscode.InputBoxValidationSeverity.Info };
  } catch (error) {
    const problem = queryError(error);
    return problem === undefined ? refusalWords(error) : queryErrorText(problem);
  }
}
