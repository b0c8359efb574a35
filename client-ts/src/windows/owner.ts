import { realpathSync } from "node:fs";
import path from "node:path";

import * as vscode from "vscode";

import type { AsyncTask } from "../protocol.js";
import * as strings from "../text/strings.js";
import { oneLine } from "../text/words.js";

/** What editors and the command line call themselves as clients. */
const EDITOR = "vscode";
const TERMINAL = "cli";
const NAME_CHARS = 40;

type Owned = Pick<AsyncTask, "owner">;

/** Return the real paths of the folders that are open in this window. */
export function openFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => realPath(uri.fsPath));
}

/** Whether a folder is open in this window; with no folder open, every one counts. */
export function isOpenFolder(folder: string, folders = openFolders()): boolean {
  return folders.length === 0 || folders.includes(folder);
}

/** Whether an editor launched a run, for its user or its model. */
export function isOfEditor({ owner }: Owned): boolean {
  return owner?.client === EDITOR;
}

/** Whether a run belongs to a window with another workspace, which notifies of it. */
export function isOfOtherWindow({ owner }: Owned, folders = openFolders()): boolean {
  return owner?.client === EDITOR && folders.length > 0 && !folders.includes(owner.workspaceDir);
}

/** Describe who launched a run; undefined if this window or another one with its workspace did. */
export function ownerWords(task: Owned, folders = openFolders()): string | undefined {
  const { owner } = task;
  if (isOfOtherWindow(task, folders)) {
    return strings.windows.otherWindow(
      oneLine(path.basename(owner?.workspaceDir ?? ""), NAME_CHARS),
    );
  }
  if (owner === undefined || owner.client === "" || owner.client === EDITOR) {
    return undefined;
  }
  const name = oneLine(owner.client, NAME_CHARS);
  return owner.client === TERMINAL ? strings.windows.terminal : strings.windows.program(name);
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // It was removed.
  }
}
