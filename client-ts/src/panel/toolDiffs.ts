import * as vscode from "vscode";

import { nextToConversation } from "../util/showFile.js";
import { changesOf, type Edit, isSameFile } from "./runChanges.js";
import type { OpenRequest } from "./messages.js";
import type { AsyncTask, ToolContent } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { pathInside } from "../text/places.js";
import * as strings from "../text/strings.js";
import { isGone } from "../util/errors.js";

/** The scheme of the texts of changes. */
export const CHANGES_SCHEME = "subagent-diff";

type Change = Omit<Extract<OpenRequest, { type: "openDiff" }>, "type">;

/** Which text of a change it is. */
export type Side = "before" | "after";

/** One of the two texts of a change, and its path: in the run's folder, if it is there. */
export interface ChangeText {
  readonly path: string;
  readonly side: Side;
  /** Undefined if the run or the change is gone. */
  readonly text: string | undefined;
}

/** Return the run of a text of a change. */
export function taskOfChange(uri: vscode.Uri): string {
  return placeOf(uri).taskId;
}

/** The two texts of a change in a run, as documents for the editor's diff. */
export class ToolDiffs implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #service: SubagentService;
  readonly #registration: vscode.Disposable;

  constructor(service: SubagentService) {
    this.#service = service;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(CHANGES_SCHEME, this);
  }

  /** Show a change in the editor's diff; rejects if the run has no such change. */
  async open(change: Change): Promise<void> {
    const { path = "" } = await this.#part(change);
    const { seq, index } = change;
    await this.#openEdit(change.taskId, { path, before: { seq, index }, after: { seq, index } });
  }

  /** Show all changes of a run, or those of one file, in one editor. */
  async openAll(taskId: string, path?: string): Promise<void> {
    const all = await changesOf(this.#service, taskId);
    const edits = path === undefined ? all : all.filter((each) => isSameFile(each.path, path));
    const [only] = edits;
    if (only === undefined) {
      throw new Error(strings.runs.noChanges);
    }
    if (edits.length === 1) {
      await this.#openEdit(taskId, only);
      return;
    }
    const resources = edits.map((edit) => [
      vscode.Uri.file(edit.path),
      uriOf({ taskId, ...edit.before }, "before", edit.path),
      uriOf({ taskId, ...edit.after }, "after", edit.path),
    ]);
    await vscode.commands.executeCommand("vscode.changes", strings.runs.allChanges, resources);
  }

  async #openEdit(taskId: string, { path, before, after }: Edit): Promise<void> {
    const name = path.split(/[\\/]/u).at(-1) ?? path;
    await vscode.commands.executeCommand(
      "vscode.diff",
      uriOf({ taskId, ...before }, "before", path),
      uriOf({ taskId, ...after }, "after", path),
      strings.runs.changeTitle(name),
      { viewColumn: nextToConversation(), preview: true } satisfies vscode.TextDocumentShowOptions,
    );
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const { side, ...change } = placeOf(uri);
    const { oldText = "", newText = "" } = await this.#part(change);
    return side === "before" ? oldText : newText;
  }

  /** Return a text of a change; without the text if the run no longer has it. */
  async at(uri: vscode.Uri): Promise<ChangeText> {
    const { side, ...change } = placeOf(uri);
    const part = await unlessGone(this.#find(change));
    const { path = uri.path, oldText = "", newText = "" } = part ?? {};
    const text = side === "before" ? oldText : newText;
    const folder = (await this.#run(change.taskId))?.workspaceDir;
    return { path: pathInside(path, folder) ?? path, side, text: part && text };
  }

  /** Whether a run was deleted; rejects if the sidecar does not know. */
  async isGone(taskId: string): Promise<boolean> {
    return (await this.#run(taskId)) === undefined;
  }

  dispose(): void {
    this.#registration.dispose();
  }

  async #part(change: Change): Promise<ToolContent> {
    const part = await this.#find(change);
    if (part === undefined) {
      throw new Error(strings.runs.noChange);
    }
    return part;
  }

  async #find({ taskId, seq, index }: Change): Promise<ToolContent | undefined> {
    const page = { taskId, afterSeq: seq - 1, limit: 1 };
    const [event] = (await this.#service.request("asyncTasks/events", page)).events;
    const part = event?.type === "tool" ? event.content?.[index] : undefined;
    return part?.type === "diff" ? part : undefined;
  }

  async #run(taskId: string): Promise<AsyncTask | undefined> {
    return (await unlessGone(this.#service.request("asyncTasks/get", { taskId })))?.task;
  }
}

/** Return what is read of a run; undefined if the run was deleted. */
async function unlessGone<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isGone(error)) {
      return undefined;
    }
    throw error;
  }
}

/** Return a URI whose path determines the language and whose query finds the text after a reload. */
function uriOf({ taskId, seq, index }: Change, side: Side, path: string): vscode.Uri {
  const query = JSON.stringify({ taskId, seq, index, side });
  return vscode.Uri.from({ scheme: CHANGES_SCHEME, path: vscode.Uri.file(path).path, query });
}

function placeOf({ query }: vscode.Uri): Change & { side: Side } {
  return JSON.parse(query) as Change & { side: Side };
}
