import { homedir } from "node:os";
import path from "node:path";

import * as vscode from "vscode";

import { showQuickPick } from "../../questions/quickInput.js";
import { inform } from "../../questions/notify.js";
import type { Installation } from "../../service/installation.js";
import { SECTION, sidecarRoots } from "../../service/settings.js";
import { mcp as words } from "../text/strings.js";
import { SERVER_NAME, serverArguments } from "./definition.js";
import { type ServerEntry, withServer } from "./mcpFile.js";

const FILE = ".mcp.json";
const SCHEME = "subagent-mcp-file";

interface Place extends vscode.QuickPickItem {
  readonly file: vscode.Uri;
  readonly workspace?: string;
}

/** Add the sidecar's MCP server to a file of the user's choice, after showing the change. */
export async function addToMcpFile(installation: Pick<Installation, "launcher">): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    throw new Error(words.untrusted);
  }
  const place = await showQuickPick(places(), { placeHolder: words.selectFile });
  if (place === undefined) {
    return;
  }
  const before = await read(place.file);
  const after = withServer(before, SERVER_NAME, await entryFor(installation, place));
  if (after === before) {
    await inform(words.already(place.file.fsPath));
    return;
  }
  if (await isAgreed(place.file, before, after)) {
    await requireText(place.file, before, words.changedMeanwhile(place.file.fsPath));
    await write(place.file, after);
    await offerUndo(place.file, before, after);
  }
}

function places(): Place[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ name, uri }) => ({
    label: words.workspace(name),
    file: vscode.Uri.joinPath(uri, FILE),
    workspace: uri.fsPath,
  }));
  const user = { label: words.user, file: vscode.Uri.file(path.join(homedir(), FILE)) };
  return [...folders, user].map((place) => ({ ...place, description: place.file.fsPath }));
}

async function entryFor(
  installation: Pick<Installation, "launcher">,
  { workspace }: Place,
): Promise<ServerEntry> {
  const { storageRoot } = sidecarRoots(vscode.workspace.getConfiguration(SECTION));
  const args = serverArguments({
    ...(storageRoot === undefined ? {} : { storageRoot }),
    ...(workspace === undefined ? {} : { workspace }),
  });
  return { command: await installation.launcher(), args };
}

/** Show the change in the editor's diff and ask. */
async function isAgreed(
  file: vscode.Uri,
  before: string | undefined,
  after: string,
): Promise<boolean> {
  const texts = { before: before ?? "", after };
  const provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: ({ query }) => (query === "after" ? texts.after : texts.before),
  });
  try {
    const side = (query: string): vscode.Uri =>
      vscode.Uri.from({ scheme: SCHEME, path: file.path, query });
    const title = words.changeTitle(file.fsPath);
    const sides = [side("before"), side("after")] as const;
    await vscode.commands.executeCommand("vscode.diff", ...sides, title, { preview: true });
    return (await inform(words.question(file.fsPath), words.add)) === words.add;
  } finally {
    provider.dispose();
    await closeDiff();
  }
}

async function closeDiff(): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const ours = tabs.filter(
    ({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.scheme === SCHEME,
  );
  await vscode.window.tabGroups.close(ours);
}

async function offerUndo(
  file: vscode.Uri,
  before: string | undefined,
  after: string,
): Promise<void> {
  if ((await inform(words.added(file.fsPath), words.undo)) !== words.undo) {
    return;
  }
  await requireText(file, after, words.changedSince(file.fsPath));
  await (before === undefined ? vscode.workspace.fs.delete(file) : write(file, before));
}

/** Throw an error with this message if a file no longer has this text. */
async function requireText(
  file: vscode.Uri,
  text: string | undefined,
  message: string,
): Promise<void> {
  if ((await read(file)) !== text) {
    throw new Error(message);
  }
}

async function read(file: vscode.Uri): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      await vscode.workspace.fs.readFile(file),
    );
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === "FileNotFound") {
      return undefined;
    }
    throw error;
  }
}

async function write(file: vscode.Uri, text: string): Promise<void> {
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
}
