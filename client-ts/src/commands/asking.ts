import * as vscode from "vscode";

import { Throttle } from "../coalesce.js";
import { messageOf } from "../errors.js";
import type { AsyncTask, SubagentInfo, TaskInfo } from "../protocol.js";
import type { SubagentService } from "../service.js";
import { ago, oneLine, runStatus, storedStatus } from "../words.js";

const ROW_CHARS = 120;
const FOUND = 100;
const TYPING_MS = 200;

type Item<T> = vscode.QuickPickItem & { readonly value: T };

/** Have the user choose one of some runs; undefined if they do not. */
export async function pickRun(
  tasks: readonly AsyncTask[],
  placeHolder: string,
): Promise<AsyncTask | undefined> {
  const items = tasks.map((task): Item<AsyncTask> => {
    const label = oneLine(task.goalPrompt, ROW_CHARS);
    return { label, description: `${task.subagentName} · ${runStatus(task)}`, value: task };
  });
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))
    ?.value;
}

/** Have the user choose a definition; undefined if they do not. */
export async function pickDefinition(
  definitions: readonly SubagentInfo[],
): Promise<SubagentInfo | undefined> {
  const items = definitions.map((definition): Item<SubagentInfo> => {
    const { name, description, runner } = definition;
    return { label: name, description: runner, detail: description, value: definition };
  });
  const placeHolder = "Which subagent?";
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDetail: true }))?.value;
}

/** Ask for the goal of a run; undefined if the user gives none. */
export async function askGoal(subagentName: string): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: `Launch ${subagentName}`,
    prompt: "What shall it do?",
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? "Write what the subagent shall do." : undefined),
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
    if ((await vscode.window.showInformationMessage(message, open)) === open) {
      await vscode.commands.executeCommand("vscode.openFolder");
    }
  }
  return folders[0]?.uri.fsPath;
}

/** Have the user search the stored tasks and choose one; undefined if they do not. */
export function pickStoredTask(service: SubagentService): Promise<TaskInfo | undefined> {
  const pick = vscode.window.createQuickPick<Item<TaskInfo>>();
  pick.placeholder = "Find a task by its title, id, mode or folder";
  const search = new Throttle(TYPING_MS, () => void fill(service, pick));
  pick.onDidChangeValue(() => {
    search.call();
  });
  search.call();
  pick.show();
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      const chosen = pick.selectedItems[0];
      if (chosen !== undefined) {
        resolve(chosen.value);
        pick.hide();
      }
    });
    pick.onDidHide(() => {
      search.dispose();
      pick.dispose();
      resolve(undefined);
    });
  });
}

async function fill(
  service: SubagentService,
  pick: vscode.QuickPick<Item<TaskInfo>>,
): Promise<void> {
  const searched = pick.value;
  pick.busy = true;
  try {
    const filter = searched.trim() === "" ? {} : { filter: searched.trim() };
    const sort = { by: "lastActivity", order: "desc" } as const;
    const { items } = await service.request("tasks/list", { limit: FOUND, sort, ...filter });
    if (pick.value === searched) {
      pick.items = items.map((task) => storedItem(task, Date.now()));
    }
  } catch (error) {
    pick.title = messageOf(error);
  } finally {
    pick.busy = pick.value !== searched;
  }
}

function storedItem(task: TaskInfo, now: number): Item<TaskInfo> {
  const when = task.lastActivity ?? task.createdAt;
  const facts = [storedStatus(task), when == null ? undefined : ago(when, now), task.mode.current];
  return {
    label: oneLine(task.title, ROW_CHARS) || "(untitled)",
    description: facts.filter((fact) => fact !== undefined).join(" · "),
    detail: [task.id, task.workspaceDir].filter((fact) => fact !== undefined).join(" · "),
    alwaysShow: true, // The sidecar has matched it, on more than is shown here.
    value: task,
  };
}
