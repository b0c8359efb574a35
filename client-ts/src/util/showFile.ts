import { realpath } from "node:fs/promises";
import path from "node:path";

import * as vscode from "vscode";

/** Show a file in its editor, optionally at a line (from 1), or a folder in the Explorer. */
export async function showFile(file: string, line?: number): Promise<void> {
  const uri = vscode.Uri.file(file);
  const { type } = await vscode.workspace.fs.stat(uri);
  if ((type & vscode.FileType.Directory) !== 0) {
    await vscode.commands.executeCommand("revealInExplorer", uri);
    return;
  }
  const start = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
  const selection = line === undefined ? {} : { selection: new vscode.Range(start, start) };
  const viewColumn = nextToConversation();
  // Unlike the functions for text, this also opens images and notebooks in their editors.
  await vscode.commands.executeCommand("vscode.open", uri, {
    preview: true,
    viewColumn,
    ...selection,
  });
}

/** Return the column for what a conversation opens: next to it, so that both are seen. */
export function nextToConversation(): vscode.ViewColumn {
  const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
  const isConversation =
    input instanceof vscode.TabInputWebview && input.viewType.includes("subagentSidecar");
  return isConversation ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
}

/** Whether a file is in one of some folders after resolving links; false if it does not exist. */
export async function isInside(file: string, folders: readonly string[]): Promise<boolean> {
  try {
    const real = await realpath(file);
    const roots = await Promise.all(
      folders.map((folder) => realpath(folder).catch(() => undefined)),
    );
    return roots.some((root) => {
      if (root === undefined) {
        return false; // One of several folders may be missing.
      }
      const relative = path.relative(root, real);
      const [first] = relative.split(path.sep);
      return relative !== "" && !path.isAbsolute(relative) && first !== "..";
    });
  } catch {
    return false;
  }
}
