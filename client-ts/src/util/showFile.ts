import { realpath } from "node:fs/promises";
import path from "node:path";

import * as vscode from "vscode";

/** Show a file in the editor, at a line that counts from 1 if one is named. */
export async function showFile(file: string, line?: number): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  const start = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
  const selection = line === undefined ? {} : { selection: new vscode.Range(start, start) };
  await vscode.window.showTextDocument(document, { preview: true, ...selection });
}

/** Whether a file lies in one of some folders, wherever links lead; false if it is not there. */
export async function isInside(file: string, folders: readonly string[]): Promise<boolean> {
  try {
    const real = await realpath(file);
    const roots = await Promise.all(folders.map((folder) => realpath(folder)));
    return roots.some((root) => {
      const way = path.relative(root, real);
      return way !== "" && !path.isAbsolute(way) && way.split(path.sep)[0] !== "..";
    });
  } catch {
    return false;
  }
}
