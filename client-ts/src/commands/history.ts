import * as vscode from "vscode";

import type { SubagentService } from "../service.js";
import type { HistoryTree } from "../views/historyTree.js";
import type { Transcripts } from "../views/transcript.js";
import { taskIdOf } from "./arguments.js";
import { pickStoredTask } from "./asking.js";

/** What these commands act on. */
export interface HistoryCommandsContext {
  readonly service: SubagentService;
  readonly history: HistoryTree;
  readonly transcripts: Transcripts;
}

/** The commands on stored tasks, by their ids. */
export function historyCommands(context: HistoryCommandsContext) {
  const { history } = context;
  return {
    "subagentSidecar.task.open": (target?: unknown) => openTask(context, target),
    "subagentSidecar.task.find": () => openTask(context, undefined),
    "subagentSidecar.task.copyId": (target?: unknown) => copyId(context, target),
    "subagentSidecar.history.filter": () => filter(history),
    "subagentSidecar.history.clearFilter": () => history.setFilter(""),
    "subagentSidecar.history.refresh": () => history.refresh(),
    "subagentSidecar.history.loadMore": () => history.loadMore(),
  };
}

async function openTask(context: HistoryCommandsContext, target: unknown): Promise<void> {
  const taskId = await storedTaskId(context, target);
  if (taskId !== undefined) {
    await context.transcripts.open(taskId);
  }
}

async function copyId(context: HistoryCommandsContext, target: unknown): Promise<void> {
  const taskId = await storedTaskId(context, target);
  if (taskId !== undefined) {
    await vscode.env.clipboard.writeText(taskId);
    vscode.window.setStatusBarMessage(`Copied ${taskId}`, 3_000);
  }
}

async function storedTaskId(
  { service }: HistoryCommandsContext,
  target: unknown,
): Promise<string | undefined> {
  const known = taskIdOf(target);
  if (known === undefined) {
    await service.start();
    return (await pickStoredTask(service))?.id;
  }
  return known;
}

async function filter(history: HistoryTree): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: "Filter the Task History",
    prompt: "Show tasks with this in their title, id, mode or folder; empty shows all",
    value: history.filter,
  });
  if (text !== undefined) {
    await vscode.commands.executeCommand("subagentSidecar.history.focus");
    await history.setFilter(text.trim());
  }
}
