import { realpath } from "node:fs/promises";
import path from "node:path";

import * as vscode from "vscode";

/** Show a file in the editor, optionally at a line (from 1). */
export async function showFile(file: string, line?: number): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  const start = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
  const selection = line === undefined ? {} : { selection: new vscode.Range(start, start) };
  const viewColumn = nextToConversation();
  await vscode.window.showTextDocument(document, { preview: true, viewColumn, ...selection });
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
    const roots = await Promise.all(folders.map((folder) => realpath(folder)));
    return roots.some((root) => {
      const relative = path.relative(root, real);
      const [first] = relative.split(path.sep);
      return relative !== "" && !path.isAbsolute(relative) && first !== "..";
    });
  } catch {
    return false;
  }
}
