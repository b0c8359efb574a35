import { existsSync } from "node:fs";
import path from "node:path";

import * as vscode from "vscode";

import { warn } from "../questions/notify.js";
import * as strings from "../text/strings.js";
import { isInside } from "../util/showFile.js";
import { type Code, type CodeChange, codeChanges } from "./codeChanges.js";

/** The editor that was active last. */
export interface LastEditor {
  file(): vscode.Uri;
  insert(text: string): Promise<void>;
}

/** Apply code of a message to the files that it means, each after the user has accepted it in a preview. */
export async function applyCode(code: Code, folder: string, cursor: LastEditor): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    throw new Error(strings.apply.untrusted);
  }
  const edit = new vscode.WorkspaceEdit();
  for (const change of codeChanges(code)) {
    const uri = await fileOf(change, folder, cursor);
    if (!(await add(edit, change, uri))) {
      await offerCursor(vscode.workspace.asRelativePath(uri), code, cursor);
      return;
    }
  }
  await vscode.workspace.applyEdit(edit, { isRefactoring: true });
}

/** Return the file of a change: the named one, if it is in the workspace, or else that of the last editor. */
async function fileOf(
  { file }: CodeChange,
  folder: string,
  cursor: LastEditor,
): Promise<vscode.Uri> {
  if (file === undefined) {
    return cursor.file();
  }
  const whole = path.resolve(folder, file);
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  if (!(await isInside(existing(whole), folders)) && !folders.includes(existing(whole))) {
    throw new Error(strings.apply.outside(file));
  }
  return vscode.Uri.file(whole);
}

/** Return a file, or the first folder above it that exists. */
function existing(file: string): string {
  return existsSync(file) || path.dirname(file) === file ? file : existing(path.dirname(file));
}

/** Add a change of a file; returns whether it fits. */
async function add(
  edit: vscode.WorkspaceEdit,
  { to }: CodeChange,
  uri: vscode.Uri,
): Promise<boolean> {
  const name = vscode.workspace.asRelativePath(uri);
  const asked = { needsConfirmation: true, label: strings.apply.label };
  if (uri.scheme === "file" && !existsSync(uri.fsPath)) {
    const text = to(undefined);
    if (text !== undefined) {
      edit.createFile(uri, { contents: new TextEncoder().encode(text) }, asked);
    }
    return text !== undefined;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  if (document.isDirty && !document.isUntitled) {
    throw new Error(strings.apply.unsaved(name));
  }
  const before = document.getText();
  const text = to(before);
  if (text === before) {
    throw new Error(strings.apply.same(name));
  }
  if (text !== undefined) {
    const all = new vscode.Range(document.positionAt(0), document.positionAt(before.length));
    edit.replace(uri, all, text, asked);
  }
  return text !== undefined;
}

async function offerCursor(name: string, { text }: Code, cursor: LastEditor): Promise<void> {
  const { noPlace, insert } = strings.apply;
  if ((await warn(noPlace(name), insert)) === insert) {
    await cursor.insert(text);
  }
}
