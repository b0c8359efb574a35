import * as vscode from "vscode";
import type { Disposable } from "vscode-jsonrpc/node";

import { Throttle } from "../util/coalesce.js";
import { messageOf } from "../util/errors.js";
import type { TaskInfo } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { isAnswering } from "../client/state.js";
import { StoredTasks } from "../service/storedTasks.js";
import { TotalsLine } from "./totalsLine.js";
import { ago, duration } from "../text/format.js";
import { localTime, money, oneLine, storedStatus } from "../text/words.js";
import { keyOf, TaskRow, TaskRows } from "./historyRows.js";
import { storedIcon } from "./icons.js";
import { tooltip } from "./tooltip.js";
import * as strings from "../text/strings.js";

const ROW_CHARS = 120;
const TOOLTIP_CHARS = 1_000;
const REFRESH_MS = 500;
/** How often ages are updated, in ms. */
const AGES_MS = 30_000;

/** The last row while there are more tasks. */
const MORE = Symbol("more");
type Row = TaskRow | typeof MORE;

/** The tree *Task History*: stored tasks of every root, newest first, a page at a time. */
export class HistoryTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #service: SubagentService;
  readonly #stored: StoredTasks;
  readonly #totals: TotalsLine;
  readonly #isOwn: (task: TaskInfo) => boolean;
  readonly #view: vscode.TreeView<Row>;
  readonly #changes = new vscode.EventEmitter<Row[] | undefined>();
  readonly #tasks = new TaskRows((task) => JSON.stringify([task, age(task), this.#isOwn(task)]));
  readonly #reload = new Throttle(REFRESH_MS, () => void this.#read(() => this.#stored.reload()));
  readonly #subscriptions: Disposable[];
  readonly #ages = setInterval(() => {
    this.#ageIfShown();
  }, AGES_MS);
  #wanted = false;
  /** The text of the last row while there are more tasks. */
  #more: string | undefined;

  readonly onDidChangeTreeData = this.#changes.event;

  /** `isOwn` selects the tasks that can be deleted and archived. */
  constructor(service: SubagentService, isOwn: (task: TaskInfo) => boolean) {
    this.#service = service;
    this.#isOwn = isOwn;
    this.#stored = new StoredTasks((params) => service.request("tasks/list", params));
    this.#totals = new TotalsLine(
      (params) => service.request("tasks/stats", params),
      () => {
        this.#show();
      },
    );
    const options = { treeDataProvider: this, showCollapseAll: false, canSelectMany: true };
    this.#view = vscode.window.createTreeView("subagentSidecar.history", options);
    this.#subscriptions = [
      this.#view,
      this.#changes,
      this.#reload,
      this.#totals,
      service.onDidChangeState(() => {
        this.#stateChanged();
      }),
      service.onDidChangeHistory(() => {
        this.#reloadIfShown();
      }),
      this.#view.onDidChangeVisibility(() => {
        this.#reloadIfShown();
      }),
    ];
  }

  get filter(): string {
    return this.#stored.filter;
  }

  /** Show only tasks that match a query; "" shows all. */
  async setFilter(filter: string): Promise<void> {
    await this.#read(() => this.#stored.setFilter(filter));
  }

  async loadMore(): Promise<void> {
    await this.#read(() => this.#stored.loadMore());
  }

  /** Make the sidecar scan all stored tasks again. Rejects when it is unavailable. */
  async refresh(): Promise<void> {
    await this.#service.request("tasks/refresh", {});
    await this.#read(() => this.#stored.reload());
  }

  getChildren(element?: Row): Row[] {
    if (element !== undefined) {
      return [];
    }
    if (!this.#wanted) {
      this.#wanted = true;
      this.#reload.call();
    }
    return this.#more === undefined ? [...this.#tasks.rows] : [...this.#tasks.rows, MORE];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    return row === MORE ? moreItem(this.#more) : taskItem(row.task, this.#isOwn(row.task));
  }

  resolveTreeItem(item: vscode.TreeItem, row: Row): vscode.TreeItem {
    if (row !== MORE) {
      item.tooltip = tooltip(oneLine(row.title, TOOLTIP_CHARS), facts(row.task, Date.now()));
    }
    return item;
  }

  dispose(): void {
    clearInterval(this.#ages);
    vscode.Disposable.from(...this.#subscriptions).dispose();
  }

  #stateChanged(): void {
    if (isAnswering(this.#service.state)) {
      this.#reloadIfShown();
    }
    this.#show();
  }

  #reloadIfShown(): void {
    if (this.#wanted && this.#view.visible && this.#service.state.kind !== "failed") {
      this.#reload.call();
    }
  }

  #ageIfShown(): void {
    if (this.#wanted && this.#view.visible) {
      this.#redraw();
    }
  }

  async #read(change: () => Promise<void>): Promise<void> {
    try {
      await vscode.window.withProgress({ location: { viewId: "subagentSidecar.history" } }, change);
      this.#totals.follow(this.#stored.filter);
      this.#show();
    } catch (error) {
      this.#show(isAnswering(this.#service.state) ? messageOf(error) : undefined);
    }
  }

  /** Return the text above the rows: the filter and the usage of matching tasks; the title counts them. */
  #heading(): string {
    const { filter, items } = this.#stored;
    if (items.length === 0) {
      return ""; // A message would hide the welcome view, which has the button to clear the filter.
    }
    const totals = this.#totals.textFor(filter);
    const named = filter === "" ? "" : strings.history.filtered(filter);
    return [named, totals].filter((part) => part !== "").join(" — ");
  }

  /** Called only after the first read: formatting the first number for a locale is slow. */
  #count(): string {
    const { filter, matched, total } = this.#stored;
    const all = total.toLocaleString();
    return filter === "" ? all : strings.common.shownOf(matched, all);
  }

  #show(problem?: string): void {
    const { filter, items, isRead } = this.#stored;
    this.#view.description = isRead ? this.#count() : "";
    this.#view.message = problem ?? this.#heading();
    const empty = filter === "" ? "empty" : "filtered";
    const key = items.length > 0 ? "items" : isRead ? empty : undefined;
    void vscode.commands.executeCommand("setContext", "subagentSidecar.history", key);
    void vscode.commands.executeCommand("setContext", "subagentSidecar.filtered", filter !== "");
    this.#redraw();
  }

  /** Redraw only what differs: redrawing everything replaces the row that an open menu acts on. */
  #redraw(): void {
    const changed = this.#tasks.take(this.#stored.items);
    const more = this.#more;
    this.#more = moreText(this.#stored);
    if (changed === "all" || (more === undefined) !== (this.#more === undefined)) {
      this.#changes.fire(undefined);
    } else {
      const rows = more === this.#more ? changed : [...changed, MORE as Row];
      if (rows.length > 0) {
        this.#changes.fire(rows);
      }
    }
  }
}

/** Return how long ago a task was last used, or that the sidecar is running it. */
function age({ status, product, lastActivity, createdAt }: TaskInfo): string | undefined {
  if (status === "active" && product === "sidecar") {
    return strings.history.running;
  }
  const when = lastActivity ?? createdAt;
  return when == null ? undefined : ago(when, Date.now());
}

function taskItem(task: TaskInfo, isOwn: boolean): vscode.TreeItem {
  const label = oneLine(task.title, ROW_CHARS) || strings.common.untitled;
  const item = new vscode.TreeItem(label);
  const since = age(task);
  item.id = keyOf(task);
  item.iconPath = storedIcon(task.status);
  item.description = [since, task.product === "sidecar" ? task.mode.current : task.product]
    .filter((part) => part !== undefined)
    .join(" · ");
  item.contextValue = `stored ${isOwn ? "own" : "foreign"} ${task.status}`;
  item.command = {
    command: "subagentSidecar.task.open",
    title: strings.history.openTranscript,
    arguments: [{ id: task.id, root: task.root }],
  };
  item.accessibilityInformation = {
    label: [label, storedStatus(task), since].filter((part) => part !== undefined).join(", "),
  };
  return item;
}

function moreText({ hasMore, items, matched }: StoredTasks): string | undefined {
  const shown = strings.common.shownOf(items.length, matched.toLocaleString());
  return hasMore ? strings.history.shown(shown) : undefined;
}

function moreItem(shown: string | undefined): vscode.TreeItem {
  const item = new vscode.TreeItem(strings.history.loadMore);
  item.id = "more";
  item.description = shown ?? "";
  item.iconPath = new vscode.ThemeIcon("ellipsis");
  item.command = { command: "subagentSidecar.history.loadMore", title: strings.history.loadMore };
  return item;
}

function facts(task: TaskInfo, now: number): [string, string | undefined][] {
  const { tokenUsage } = task;
  return [
    [strings.facts.status, storedStatus(task)],
    [strings.facts.product, task.product],
    [strings.facts.mode, task.mode.name ?? task.mode.current],
    [strings.facts.model, task.model],
    [strings.facts.created, task.createdAt == null ? undefined : localTime(task.createdAt)],
    [
      strings.facts.lastActivity,
      task.lastActivity == null ? undefined : ago(task.lastActivity, now),
    ],
    [strings.facts.duration, task.duration == null ? undefined : duration(task.duration)],
    [strings.facts.messages, task.messageCount?.toLocaleString()],
    [strings.facts.tokens, tokenUsage?.total?.toLocaleString()],
    [strings.facts.cost, money(tokenUsage?.cost)],
    [strings.facts.folder, task.workspaceDir],
    [strings.facts.root, task.root],
    [strings.facts.id, task.id],
    [strings.facts.problems, task.problems.map((problem) => problem.message).join("; ")],
  ];
}
