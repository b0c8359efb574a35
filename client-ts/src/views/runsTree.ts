import * as vscode from "vscode";
import type { Disposable } from "vscode-jsonrpc/node";

import type { AsyncTask } from "../protocol.js";
import { askedLine, isWaiting, waitingRuns } from "../questions/questions.js";
import type { SubagentService } from "../service/service.js";
import { isAnswering } from "../client/state.js";
import { takesMessages } from "../text/speaking.js";
import { elapsed, isLive, runStatus } from "../text/outcome.js";
import { allTokens, changeWords, modelWords } from "../text/runWords.js";
import { ago } from "../text/format.js";
import { localTime, money, oneLine } from "../text/words.js";
import { runIcon } from "./icons.js";
import { childrenOf, parentOf } from "./runsFamily.js";
import { tooltip } from "./tooltip.js";
import { ownerWords } from "../windows/owner.js";
import type { WindowCount } from "../windows/windowCount.js";
import * as strings from "../text/strings.js";

const ROW_CHARS = 120;
const TOOLTIP_CHARS = 1_000;

/** The tree *Subagents*: the runs of all windows, newest launch first, with the runs they launched. */
export class RunsTree implements vscode.TreeDataProvider<AsyncTask>, vscode.Disposable {
  readonly #service: SubagentService;
  readonly #changes = new vscode.EventEmitter<AsyncTask | undefined>();
  readonly #subscriptions: Disposable[];
  #shown = new Map<string, AsyncTask>();

  readonly onDidChangeTreeData = this.#changes.event;

  constructor(service: SubagentService) {
    this.#service = service;
    this.#subscriptions = [
      this.#changes,
      service.onDidChangeTask((task) => {
        this.#changed(task);
      }),
      service.onDidRemoveTasks(() => {
        this.#changes.fire(undefined);
      }),
      service.onDidChangeState(() => {
        this.#changes.fire(undefined);
      }),
    ];
  }

  getChildren(element?: AsyncTask): AsyncTask[] {
    if (element !== undefined) {
      return childrenOf(this.#shown, element);
    }
    if (this.#service.state.kind === "idle") {
      void this.#service.start().catch(() => undefined); // The state reports the failure.
    }
    this.#shown = new Map(this.#service.tasks);
    return childrenOf(this.#shown);
  }

  getTreeItem(shown: AsyncTask): vscode.TreeItem {
    const task = this.#service.tasks.get(shown.id) ?? shown;
    const goal = oneLine(task.goalPrompt, ROW_CHARS);
    const item = new vscode.TreeItem(goal); // In a narrow tree, only the goal distinguishes rows.
    if (childrenOf(this.#shown, task).length > 0) {
      item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded;
    }
    item.id = task.id;
    item.iconPath = runIcon(task);
    const tool = task.status === "running" ? task.progress.currentTool : undefined;
    item.description = [task.subagentName, runStatus(task), tool, changeWords(task.changes)]
      .filter((fact) => fact !== undefined)
      .join(" · ");
    item.contextValue = contextOf(task, takesMessages(this.#service, task));
    item.command = {
      command: "subagentSidecar.subagent.open",
      title: strings.runs.open,
      arguments: [task.id],
    };
    item.accessibilityInformation = {
      label: `${goal}, ${task.subagentName}, ${runStatus(task)}`,
    };
    return item;
  }

  /** Tooltips are created on request, so that their ages are current. */
  resolveTreeItem(item: vscode.TreeItem, shown: AsyncTask): vscode.TreeItem {
    const task = this.#service.tasks.get(shown.id) ?? shown;
    item.tooltip = tooltip(oneLine(task.goalPrompt, TOOLTIP_CHARS), facts(task, Date.now()));
    return item;
  }

  getParent(shown: AsyncTask): AsyncTask | undefined {
    return parentOf(this.#shown, shown);
  }

  dispose(): void {
    vscode.Disposable.from(...this.#subscriptions).dispose();
  }

  #changed(task: AsyncTask): void {
    this.#changes.fire(this.#shown.get(task.id));
  }
}

function contextOf(task: AsyncTask, acceptsMessages: boolean): string {
  const words = ["run", isLive(task) ? "live" : "ended"];
  return [
    ...words,
    ...(task.status === "queued" ? ["queued"] : []),
    ...(isWaiting(task) ? ["waiting"] : []),
    ...(acceptsMessages ? ["acceptsMessages"] : []),
  ].join(" ");
}

function facts(task: AsyncTask, now: number): [string, string | undefined][] {
  const { toolCalls, cost } = task.progress;
  const tokens = allTokens(task.progress);
  return [
    [strings.facts.subagent, task.subagentName],
    [strings.facts.status, runStatus(task)],
    [strings.facts.asks, task.attention && askedLine(task.attention, TOOLTIP_CHARS)],
    [strings.facts.launched, task.launchedAt === undefined ? undefined : ago(task.launchedAt, now)],
    [strings.facts.launchedFrom, ownerWords(task)],
    [strings.facts.duration, elapsed(task, now)],
    [strings.facts.model, modelWords(task).join(", ")],
    [strings.facts.changes, changeWords(task.changes)],
    [strings.facts.toolCalls, toolCalls === 0 ? undefined : String(toolCalls)],
    [strings.facts.tokens, tokens === 0 ? undefined : tokens.toLocaleString()],
    [strings.facts.cost, money(cost)],
    [
      strings.facts.error,
      task.error === undefined ? undefined : oneLine(task.error, TOOLTIP_CHARS),
    ],
    [strings.facts.folder, task.workspaceDir],
    [strings.facts.ended, task.completedAt === undefined ? undefined : localTime(task.completedAt)],
    [strings.facts.id, task.id],
  ];
}

/** The chat panel, which shows ends as well. */
export interface SeenPanel {
  readonly visible: boolean;
  readonly onDidShow: vscode.Event<void>;
}

/** Show the tree, with the state of the sidecar above it and a badge for runs that ended unseen. */
export function showRunsTree(
  service: SubagentService,
  panel: SeenPanel,
  windowCount: Pick<WindowCount, "refresh">,
): vscode.Disposable {
  const tree = new RunsTree(service);
  const view = vscode.window.createTreeView("subagentSidecar.runs", { treeDataProvider: tree });
  const unseen = new Set<string>();
  const live = new Set<string>();
  const showBadge = (): void => {
    if (view.visible || panel.visible) {
      unseen.clear();
    }
    view.badge = badgeFor(unseen.size, waitingRuns(service).length);
  };
  return vscode.Disposable.from(
    tree,
    view,
    service.onDidChangeState((state) => {
      view.message = isAnswering(state) ? (state.message ?? "") : "";
    }),
    service.onDidChangeTask((task) => {
      if (isLive(task)) {
        live.add(task.id);
      } else if (live.delete(task.id)) {
        unseen.add(task.id);
      }
      showBadge();
    }),
    service.onDidRemoveTasks((ids) => {
      for (const id of ids) {
        unseen.delete(id);
      }
      showBadge();
    }),
    panel.onDidShow(showBadge),
    view.onDidChangeVisibility(() => {
      showBadge();
      void windowCount.refresh();
    }),
  );
}

function badgeFor(ended: number, waiting: number): vscode.ViewBadge | undefined {
  const value = ended + waiting;
  return value === 0 ? undefined : { value, tooltip: strings.runs.badge(ended, waiting) };
}
