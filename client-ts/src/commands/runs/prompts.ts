import * as vscode from "vscode";

import { showInputBox, showQuickPick } from "../../questions/quickInput.js";
import { inform } from "../../questions/notify.js";
import type { AsyncTask } from "../../protocol.js";
import { runStatus } from "../../text/outcome.js";
import { rowText } from "../../text/words.js";
import * as strings from "../../text/strings.js";

const ROW_CHARS = 120;

type Item<T> = vscode.QuickPickItem & { readonly value: T };

/** Let the user choose a run; undefined if they cancel. */
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
  return (await showQuickPick(items, { placeHolder, matchOnDescription: true }))?.value;
}

/** Ask for the goal of a run; undefined if the user cancels. */
export async function askGoal(subagentName: string): Promise<string | undefined> {
  return showInputBox({
    title: strings.runs.launchTitle(subagentName),
    prompt: strings.runs.goal,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? strings.runs.noGoal : undefined),
  });
}

/** Ask for a message to an agent; undefined if the user cancels. */
export async function askMessage(question: {
  readonly title: string;
  readonly prompt: string;
  readonly value?: string;
  readonly mayBeEmpty?: boolean;
}): Promise<string | undefined> {
  const { mayBeEmpty = false, ...options } = question;
  return showInputBox({
    ...options,
    ignoreFocusOut: true,
    validateInput: (text) =>
      mayBeEmpty || text.trim() !== "" ? undefined : strings.runs.noMessage,
  });
}

/**
 * Return the folder a run works in: the only one of the workspace, or the user's choice. Without a
 * folder, offer to open one and return undefined.
 */
export async function pickFolder(): Promise<string | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length > 1) {
    return (await vscode.window.showWorkspaceFolderPick())?.uri.fsPath;
  }
  if (folders.length === 0) {
    const { noFolder, openFolder } = strings.runs;
    if ((await inform(noFolder, openFolder)) === openFolder) {
      await vscode.commands.executeCommand("vscode.openFolder");
    }
  }
  return folders[0]?.uri.fsPath;
}

/** Return the folders of the window besides this one. */
export function otherFolders(folder: string): string[] {
  const paths = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  return paths.filter((path) => path !== folder);
}
