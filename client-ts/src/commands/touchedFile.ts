import path from "node:path";

import * as vscode from "vscode";

import type { FileTask, TouchedFile } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { storedIcon } from "../views/icons.js";
import { ago, counted, rowText, withoutIcons } from "../text/words.js";
import type { ChosenTask } from "./taskSearch.js";

const ROW_CHARS = 120;
const MOST = 200;

interface Item extends vscode.QuickPickItem {
  readonly chosen?: ChosenTask;
  /** A path to look for instead. */
  readonly wider?: string;
}

/** Return the file a command was called on, else the one that is open in front; on disk only. */
export function fileOf(target: unknown): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const open = input instanceof Object && "uri" in input ? input.uri : undefined;
  return [target, vscode.window.activeTextEditor?.document.uri, open].find(isFile);
}

function isFile(value: unknown): value is vscode.Uri {
  return value instanceof vscode.Uri && value.scheme === "file";
}

/** Have the user choose one of the tasks that touched a file (a path); undefined if they do not. */
export function pickTaskOfFile(
  service: SubagentService,
  file: string,
): Promise<ChosenTask | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = `Tasks That Touched ${path.basename(file)}`;
  pick.matchOnDescription = pick.matchOnDetail = true;
  pick.show();
  return new Promise<ChosenTask | undefined>((resolve, reject) => {
    const look = (wanted: string): void => {
      void fill(service, pick, wanted, widerPath(file, wanted)).catch(reject);
    };
    pick.onDidAccept(() => {
      const { chosen, wider } = pick.selectedItems[0] ?? {};
      if (wider !== undefined) {
        look(wider);
      } else if (chosen !== undefined) {
        resolve(chosen);
        pick.hide();
      }
    });
    pick.onDidHide(() => {
      resolve(undefined);
    });
    look(file);
  }).finally(() => {
    pick.dispose();
  });
}

/** The path inside the workspace: tasks of other copies of it, and of other machines, have that too. */
function widerPath(file: string, wanted: string): string | undefined {
  const inside = vscode.workspace.asRelativePath(file, false);
  return inside === file || wanted !== file ? undefined : inside;
}

async function fill(
  service: SubagentService,
  pick: vscode.QuickPick<Item>,
  wanted: string,
  wider: string | undefined,
): Promise<void> {
  pick.busy = true;
  pick.placeholder = "Looking through the messages of all tasks…";
  pick.items = [];
  const { items, matched } = await service.request("tasks/byFile", { path: wanted, limit: MOST });
  pick.busy = false;
  pick.placeholder = matched === 0 ? "" : `${counted(matched, "task")}, the last to touch it first`;
  pick.items = [
    ...items.map((task) => taskItem(task, Date.now())),
    ...(matched === 0
      ? [{ label: "$(info) No stored task touched this file", detail: wanted }]
      : []),
    ...(wider === undefined ? [] : [widerItem(wider)]),
  ];
}

function taskItem(task: FileTask, now: number): Item {
  const { title, status, lastActivity, file } = task;
  const when = file.lastAt ?? lastActivity;
  const facts = [
    file.actions.join(", "),
    changedLines(file),
    when == null ? undefined : ago(when, now),
  ];
  return {
    label: rowText(title, ROW_CHARS) || "(untitled)",
    iconPath: storedIcon(status),
    description: facts.filter((fact) => fact !== undefined && fact !== "").join(" · "),
    detail: withoutIcons(file.path),
    chosen: { id: task.taskId, root: task.root },
  };
}

/** The lines that the task added and deleted, where they are known: `+12 −3`. */
function changedLines({ additions, deletions }: TouchedFile): string | undefined {
  return additions == null || deletions == null ? undefined : `+${additions} −${deletions}`;
}

function widerItem(wider: string): Item {
  const label = `$(search) Look for ${wider} in other folders too`;
  return { label, wider, alwaysShow: true };
}
