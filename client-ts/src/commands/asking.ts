import * as vscode from "vscode";

import { inform } from "../questions/notify.js";
import type { AsyncTask } from "../protocol.js";
import { runStatus } from "../text/runWords.js";
import { rowText } from "../text/words.js";

const ROW_CHARS = 120;

type Item<T> = vscode.QuickPickItem & { readonly value: T };

/** Have the user choose one of some runs; undefined if they do not. */
export async function pickRun(
  tasks: readonly AsyncTask[],
  placeHolder: string,
): Promise<AsyncTask | undefined> {
  const items = tasks.map((task): Item<AsyncTask> => {
    const label = rowText(task.goalPrompt, ROW_CHARS);
    return {
      label,
      description: rowText(`${task.subagentName} · ${runStatus(task)}`, ROW_CHARS),
      value: task,
    };
  });
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))
    ?.value;
}

/** Ask for the goal of a run; undefined if the user gives none. */
export async function askGoal(subagentName: string): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: `Launch ${subagentName}`,
    prompt: "What should it do?",
    ignoreFocusOut: true,
    validateInput: (text) =>
      text.trim() === "" ? "Write what the subagent should do." : undefined,
  });
}

/** Ask for words to an agent; undefined if the user gives none. */
export async function askWords(question: {
  readonly title: string;
  readonly prompt: string;
  readonly value?: string;
  readonly mayBeEmpty?: boolean;
}): Promise<string | undefined> {
  const { mayBeEmpty = false, ...shown } = question;
  return vscode.window.showInputBox({
    ...shown,
    ignoreFocusOut: true,
    validateInput: (text) => (mayBeEmpty || text.trim() !== "" ? undefined : "Write a message."),
  });
}

/**
 * Choose the folder a run works in: the one there is, or the user's choice of several. Without a
 * folder the user is offered to open one, and the answer is undefined.
 */
export async function pickFolder(): Promise<string | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length > 1) {
    return (await vscode.window.showWorkspaceFolderPick())?.uri.fsPath;
  }
  if (folders.length === 0) {
    const open = "Open Folder…";
    const message = "A subagent works in a folder. Open one first.";
    if ((await inform(message, open)) === open) {
      await vscode.commands.executeCommand("vscode.openFolder");
    }
  }
  return folders[0]?.uri.fsPath;
}
