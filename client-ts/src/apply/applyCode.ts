import * as vscode from "vscode";

import { confirm, warn } from "../questions/notify.js";
import * as strings from "../text/strings.js";
import { nextToConversation } from "../util/showFile.js";
import { type Code, type CodeChange, codeChanges } from "./codeChanges.js";
import { codeFile, isThere } from "./codeFile.js";

/** The editor that was active last. */
export interface LastEditor {
  file(): vscode.Uri;
  insert(text: string): Promise<void>;
}

type Target = readonly [CodeChange, vscode.Uri];
type Opened = readonly [CodeChange, vscode.TextDocument];

/**
 * Apply code of a message to the files that it means, in editors: nothing is saved. Shows what differs from the saved
 * file. A relative path starts in `folder`, the folder of the run, if it is known.
 */
export async function applyCode(code: Code, folder: string, cursor: LastEditor): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    throw new Error(strings.apply.untrusted);
  }
  const targets: Target[] = [];
  for (const change of changesIn(code)) {
    targets.push([change, await uriOf(change, folder, cursor)]);
  }
  // The editor shows a new document at once, so everything else has to fit first.
  const saved = textsAfter(await opened(targets.filter(([, { scheme }]) => scheme !== "untitled")));
  const changes = saved.misfit === undefined ? await opened(targets) : [];
  // Nothing is awaited from here on, so that the user cannot type what the new texts would lack.
  const { misfit, applied } = saved.misfit === undefined ? textsAfter(changes) : saved;
  if (misfit !== undefined) {
    return noPlace(...misfit, code, cursor);
  }
  if (applied.size > 0) {
    await write(applied);
    await show([...applied.keys()]);
  }
  await deleteFiles(changes.filter(([change]) => change.deletes === true));
}

/** Return the new texts of documents, or the first change that does not fit. */
function textsAfter(changes: readonly Opened[]): {
  readonly applied: ReadonlyMap<vscode.TextDocument, string>;
  readonly misfit?: Opened;
} {
  const applied = new Map<vscode.TextDocument, string>();
  for (const [change, document] of changes) {
    const text = change.to(applied.get(document) ?? document.getText());
    if (text === undefined) {
      return { applied, misfit: [change, document] };
    }
    if (change.deletes === true) {
      continue;
    }
    if (text === document.getText()) {
      throw new Error(strings.apply.same(nameOf(document)));
    }
    applied.set(document, text);
  }
  return { applied };
}

function changesIn(code: Code): readonly CodeChange[] {
  try {
    return codeChanges(code);
  } catch {
    throw new Error(strings.apply.noDiff);
  }
}

/** Return where the named file is, which may be new, or else the file of the last editor. */
async function uriOf(
  { file, to }: CodeChange,
  folder: string,
  cursor: LastEditor,
): Promise<vscode.Uri> {
  if (file === undefined) {
    return cursor.file();
  }
  const saved = vscode.Uri.file(await pathOf(file, folder));
  const uri = isThere(saved.fsPath) ? saved : saved.with({ scheme: "untitled" });
  if (uri !== saved && !isOpen(uri) && to("") === undefined) {
    throw new Error(strings.apply.noPlaceForDiff(file));
  }
  return uri;
}

async function opened(targets: readonly Target[]): Promise<readonly Opened[]> {
  const changes: Opened[] = [];
  for (const [change, uri] of targets) {
    changes.push([change, await documentOf(change, uri)]);
  }
  return changes;
}

async function documentOf({ file }: CodeChange, uri: vscode.Uri): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (error) {
    // It is binary, too large, or a folder.
    throw file === undefined ? error : new Error(strings.apply.noText(file));
  }
}

function isOpen(uri: vscode.Uri): boolean {
  return vscode.workspace.textDocuments.some((each) => each.uri.toString() === uri.toString());
}

/** Return where a file is that code names. */
async function pathOf(file: string, folder: string): Promise<string> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const known = await codeFile(file, folder, folders);
  if (known === undefined) {
    throw new Error(strings.apply.outside(file));
  }
  return known;
}

/** Give documents their new texts. */
async function write(applied: ReadonlyMap<vscode.TextDocument, string>): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  for (const [document, text] of applied) {
    const end = document.positionAt(document.getText().length);
    edit.replace(document.uri, new vscode.Range(new vscode.Position(0, 0), end), text);
  }
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Error(strings.apply.refused([...applied.keys()].map(nameOf)));
  }
}

/** Delete files after a confirmation: an editor cannot show that without saving it. */
async function deleteFiles(changes: readonly Opened[]): Promise<void> {
  const { deletes, deletesAtOnce, deleteFile, changed } = strings.apply;
  const names = changes.map(([, document]) => nameOf(document));
  if (names.length === 0 || !(await confirm(deletes(names), deletesAtOnce, deleteFile))) {
    return;
  }
  const edit = new vscode.WorkspaceEdit();
  for (const [change, { uri }] of changes) {
    const document = await vscode.workspace.openTextDocument(uri); // It may have changed meanwhile.
    if (change.to(document.getText()) === undefined) {
      throw new Error(changed(nameOf(document)));
    }
    edit.deleteFile(uri);
  }
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Error(strings.apply.refused(names));
  }
}

/** Show each file next to the conversation, the first one last, and what was changed in it. */
async function show(documents: readonly vscode.TextDocument[]): Promise<void> {
  let viewColumn = nextToConversation();
  for (const document of documents.toReversed()) {
    await vscode.window.showTextDocument(document, { preview: false, viewColumn });
    viewColumn = vscode.ViewColumn.Active;
    if (!document.isUntitled) {
      await vscode.commands.executeCommand("workbench.files.action.compareWithSaved", document.uri);
    }
  }
}

/** Say that code does not fit; code other than a diff can go to the cursor instead. */
async function noPlace(
  { isDiff }: CodeChange,
  document: vscode.TextDocument,
  { text }: Code,
  cursor: LastEditor,
): Promise<void> {
  const name = nameOf(document);
  if (isDiff === true) {
    throw new Error(strings.apply.noPlaceForDiff(name));
  }
  const { insert } = strings.apply;
  if ((await warn(strings.apply.noPlace(name), insert)) === insert) {
    await cursor.insert(text);
  }
}

function nameOf({ uri }: vscode.TextDocument): string {
  return vscode.workspace.asRelativePath(uri.fsPath);
}
