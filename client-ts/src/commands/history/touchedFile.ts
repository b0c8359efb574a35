import path from "node:path";

import * as vscode from "vscode";

import { whileOpen } from "../../questions/quickInput.js";
import type { FileTask, TouchedFile } from "../../protocol.js";
import type { SubagentService } from "../../service/service.js";
import { storedIcon } from "../../views/icons.js";
import { ago } from "../../l10n/format.js";
import { shortPath } from "../../text/places.js";
import { rowText, withoutIcons } from "../../text/words.js";
import type { ChosenTask } from "./taskSearch.js";
import * as strings from "../../text/strings.js";

const ROW_CHARS = 120;
const MOST = 200;

interface Item extends vscode.QuickPickItem {
  readonly chosen?: ChosenTask;
  /** A path to search for instead. */
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

/** Let the user choose a task that touched a file (a path); undefined if they cancel. */
export function pickTaskOfFile(
  service: SubagentService,
  file: string,
): Promise<ChosenTask | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = strings.history.touchedTitle(path.basename(file));
  pick.matchOnDescription = pick.matchOnDetail = true;
  pick.show();
  const picked = new Promise<ChosenTask | undefined>((resolve, reject) => {
    const search = (wanted: string): void => {
      void fill(service, pick, wanted, widerPath(file, wanted)).catch(reject);
    };
    pick.onDidAccept(() => {
      const { chosen, wider } = pick.selectedItems[0] ?? {};
      if (wider !== undefined) {
        search(wider);
      } else if (chosen !== undefined) {
        resolve(chosen);
        pick.hide();
      }
    });
    pick.onDidHide(() => {
      resolve(undefined);
    });
    search(file);
  });
  return whileOpen(picked).finally(() => {
    pick.dispose();
  });
}

/** Return the path inside the workspace, which tasks in other copies of it or on other machines share. */
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
  pick.placeholder = strings.history.searchingMessages;
  pick.items = [];
  const { items, matched } = await service.request("tasks/byFile", { path: wanted, limit: MOST });
  pick.busy = false;
  pick.placeholder = matched === 0 ? "" : strings.history.newestFirst(matched);
  pick.items = [
    ...items.map((task) => taskItem(task, Date.now())),
    ...(matched === 0
      ? [{ label: `$(info) ${strings.history.noneTouched}`, detail: shortPath(wanted) }]
      : []),
    ...(wider === undefined ? [] : [widerItem(wider)]),
  ];
}

function taskItem(task: FileTask, now: number): Item {
  const { title, lastActivity, file } = task;
  const when = file.lastAt ?? lastActivity;
  const facts = [
    file.actions.join(", "),
    changedLines(file),
    when == null ? undefined : ago(when, now),
  ];
  return {
    label: rowText(title, ROW_CHARS) || strings.common.untitled,
    iconPath: storedIcon(task),
    description: facts.filter((fact) => fact !== undefined && fact !== "").join(" · "),
    detail: withoutIcons(shortPath(file.path)),
    chosen: { id: task.taskId, root: task.root },
  };
}

/** The lines that the task added and deleted, where they are known: `+12 −3`. */
function changedLines({ additions, deletions }: TouchedFile): string | undefined {
  return additions == null || deletions == null ? undefined : `+${additions} −${deletions}`;
}

function widerItem(wider: string): Item {
  const label = `$(search) ${strings.history.widen(wider)}`;
  return { label, wider, alwaysShow: true };
}
