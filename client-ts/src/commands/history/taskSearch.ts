import * as vscode from "vscode";

import { whileOpen } from "../../questions/quickInput.js";
import { Throttle } from "../../util/coalesce.js";
import { type FoundMessages, type FoundTasks, LiveSearch } from "./liveSearch.js";
import type { AsyncTask, SearchHit, TaskInfo } from "../../protocol.js";
import { queryErrorMark, queryErrorText } from "../../text/queryText.js";
import type { SubagentService } from "../../service/service.js";
import type { TaskRef } from "../../taskRef.js";
import type { MessagePlace } from "../../text/transcriptText.js";
import { runIcon, storedIcon } from "../../views/icons.js";
import { withoutUnseen } from "../../text/unseen.js";
import { ago } from "../../l10n/format.js";
import { runStatus, storedText } from "../../text/outcome.js";
import { shortPath } from "../../text/places.js";
import { rowText, withoutIcons } from "../../text/words.js";
import * as strings from "../../text/strings.js";

const ROW_CHARS = 120;
/** As long as the path of a folder may be that a person still reads. */
const DETAIL_CHARS = 300;
const REASON_CHARS = 400;
/** How many of the tasks that were searched only in part are named. */
const MOST_PARTLY = 5;
const TYPING_MS = 150;

/** A stored task that was chosen, and the message in it if one was. */
export interface ChosenTask extends TaskRef {
  readonly message?: MessagePlace;
}

/** A button next to the box; `run` gets the typed text. */
export interface SearchButton {
  readonly icon: string;
  readonly tooltip: string;
  readonly run: (text: string) => void;
}

export interface TaskSearchOptions {
  readonly title: string;
  /** Whether to search messages as well. */
  readonly messages?: boolean;
  /** Search only these roots. */
  readonly roots?: string[];
  readonly buttons?: readonly SearchButton[];
}

type Runs = ReadonlyMap<string, AsyncTask>;
type Item = vscode.QuickPickItem & { readonly chosen?: ChosenTask };

/** Let the user search the stored tasks, with results as they type; undefined if they cancel. */
export function searchTasks(
  service: SubagentService,
  options: TaskSearchOptions,
): Promise<ChosenTask | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  const roots = options.roots === undefined ? {} : { roots: options.roots };
  let shownText: string | undefined;
  const search = new LiveSearch(
    {
      tasks: (params) => service.request("tasks/list", { ...params, ...roots }),
      ...(options.messages === true && {
        messages: (params) => service.request("tasks/search", { ...params, ...roots }),
      }),
    },
    () => {
      const keepsPlace = search.tasks.text === shownText;
      show(pick, search, { title: options.title, runs: service.tasks, keepsPlace });
      shownText = search.tasks.text;
    },
  );
  const typed = new Throttle(TYPING_MS, () => void search.find(pick.value));
  pick.title = options.title;
  pick.placeholder = strings.history.searchPlaceholder;
  pick.matchOnDescription = pick.matchOnDetail = true; // Highlights matches; the sidecar has selected them.
  addButtons(pick, options.buttons ?? []);
  pick.onDidChangeValue(() => {
    typed.call();
  });
  typed.call();
  pick.show();
  return whileOpen(chosenIn(pick)).finally(() => {
    typed.dispose();
    search.dispose();
    pick.dispose();
  });
}

function addButtons(pick: vscode.QuickPick<Item>, buttons: readonly SearchButton[]): void {
  const shown = buttons.map(({ icon, tooltip, run }) => ({
    iconPath: new vscode.ThemeIcon(icon),
    tooltip,
    run,
  }));
  pick.buttons = shown;
  pick.onDidTriggerButton((pressed) => {
    shown.find((button) => button === pressed)?.run(pick.value);
    pick.hide();
  });
}

function chosenIn(pick: vscode.QuickPick<Item>): Promise<ChosenTask | undefined> {
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      const chosen = pick.selectedItems[0]?.chosen;
      if (chosen !== undefined) {
        resolve(chosen);
        pick.hide();
      }
    });
    pick.onDidHide(() => {
      resolve(undefined);
    });
  });
}

/** Show the results; further results for the same text keep the active row. */
function show(
  pick: vscode.QuickPick<Item>,
  search: LiveSearch,
  { title, runs, keepsPlace }: { title: string; runs: Runs; keepsPlace: boolean },
): void {
  const { tasks, messages } = search;
  pick.busy = search.isBusy;
  pick.title = [title, ...counts(tasks, messages)].join(" · ");
  const items = itemsOf(tasks, messages, runs, Date.now());
  if (keepsPlace && JSON.stringify(items) === JSON.stringify(pick.items)) {
    return; // A row that is redrawn loses a click in progress.
  }
  const place = keepsPlace ? keyOf(pick.activeItems[0]) : undefined;
  pick.keepScrollPosition = keepsPlace;
  pick.items = items;
  const active = pick.items.find((item) => place !== undefined && keyOf(item) === place);
  if (active !== undefined) {
    pick.activeItems = [active];
  }
}

function keyOf(item: Item | undefined): string | undefined {
  return item?.chosen === undefined ? undefined : JSON.stringify(item.chosen);
}

/** Count the results; fewer may be shown. */
function counts({ text, problem, matched, total }: FoundTasks, messages: FoundMessages): string[] {
  if (problem !== undefined || total === 0) {
    return [];
  }
  const { hits, unread } = messages;
  const { messagesShown, messagesUnread } = strings.history;
  const all = strings.common.tasks(total);
  return [
    text.trim() === "" ? all : strings.common.shownOf(matched, all),
    ...(hits.length === 0 ? [] : [messagesShown(hits.length)]),
    ...(unread === 0 ? [] : [messagesUnread(unread)]),
  ];
}

/** Return the results as rows: what is wrong with the query, or tasks followed by messages. */
export function itemsOf(
  tasks: FoundTasks,
  messages: FoundMessages,
  runs: Runs,
  now: number,
): Item[] {
  if (tasks.problem !== undefined) {
    return [
      note("warning", queryErrorText(tasks.problem), queryErrorMark(tasks.text, tasks.problem)),
    ];
  }
  return [
    ...(tasks.error === undefined ? [] : [note("error", tasks.error)]),
    ...tasks.items.map((task) => taskItem(task, runOf(task, runs), now)),
    ...messages.hits.map((hit) => hitItem(hit, now)),
    ...(messages.error === undefined ? [] : [note("info", messages.error)]),
    ...partlyRows(messages),
  ];
}

/** Count the tasks that were searched only in part, and name some of them, each with the reason. */
function partlyRows({ partly }: FoundMessages): Item[] {
  if (partly.length === 0) {
    return [];
  }
  const named = partly.slice(0, MOST_PARTLY);
  const left = partly.length - named.length;
  const rest = left > 0 ? [note("info", strings.common.andMore(left))] : [];
  return [
    note("info", strings.history.partlySearched(partly.length)),
    ...named.map(({ taskId: id, root, title, message }) => ({
      ...note("file", rowText(title, ROW_CHARS) || strings.common.untitled),
      detail: rowText(message, REASON_CHARS),
      chosen: { id, root },
    })),
    ...rest,
  ];
}

/** Return a row that only informs; its label is an icon, so that typing does not sort it. */
function note(icon: string, description: string, detail?: string): Item {
  const row = { label: `$(${icon})`, description, alwaysShow: true };
  return detail === undefined ? row : { ...row, detail };
}

function runOf({ id, product }: TaskInfo, runs: Runs): AsyncTask | undefined {
  return product === "sidecar" ? runs.get(id) : undefined;
}

/** Return a task as a row; that of a run has the status that the list shows, which says more than the stored one. */
function taskItem(task: TaskInfo, run: AsyncTask | undefined, now: number): Item {
  const when = task.lastActivity ?? task.createdAt;
  const { product, workspaceDir } = task;
  const agent = task.mode.name ?? task.mode.current;
  return {
    label: rowText(task.title, ROW_CHARS) || strings.common.untitled,
    iconPath: run === undefined ? storedIcon(task) : runIcon(run),
    description: facts(
      run === undefined ? storedText(task) : runStatus(run),
      when == null ? undefined : ago(when, now),
    ),
    detail: facts(
      product === "sidecar" ? agent : product,
      product === "sidecar" ? undefined : agent,
      workspaceDir === undefined ? undefined : shortPath(workspaceDir),
    ),
    alwaysShow: true,
    chosen: { id: task.id, root: task.root },
  };
}

function facts(...known: readonly (string | undefined)[]): string {
  return rowText(known.filter((fact) => fact !== undefined).join(" · "), DETAIL_CHARS);
}

/** Return a found message as a row; without a label, so that the editor does not sort it among tasks. */
function hitItem(hit: SearchHit, now: number): Item {
  const { title, kind, index, role, ts, snippet } = hit;
  const name = rowText(title, ROW_CHARS) || strings.common.untitled;
  return {
    label: "$(comment)",
    description: facts(
      name,
      strings.history.roles[role] ?? role,
      ts == null ? undefined : ago(ts, now),
    ),
    detail: withoutIcons(withoutUnseen(snippet.replace(/[\u0002\u0003]/gu, ""))),
    alwaysShow: true,
    chosen: { id: hit.taskId, root: hit.root, message: { kind, index } },
  };
}
