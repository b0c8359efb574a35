import * as vscode from "vscode";

import { nextToConversation } from "../util/showFile.js";
import { changesOf, type Edit, isSameFile } from "./runChanges.js";
import type { OpenRequest } from "./messages.js";
import type { ToolContent } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import * as strings from "../text/strings.js";

const SCHEME = "subagent-diff";

type Change = Omit<Extract<OpenRequest, { type: "openDiff" }>, "type">;
type Side = "before" | "after";

/** The two texts of a change in a run, as documents for the editor's diff. */
export class ToolDiffs implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #service: SubagentService;
  readonly #registration: vscode.Disposable;

  constructor(service: SubagentService) {
    this.#service = service;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
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
    const { side, ...change } = JSON.parse(uri.query) as Change & { side: Side };
    const { oldText = "", newText = "" } = await this.#part(change);
    return side === "before" ? oldText : newText;
  }

  dispose(): void {
    this.#registration.dispose();
  }

  async #part({ taskId, seq, index }: Change): Promise<ToolContent> {
    const page = { taskId, afterSeq: seq - 1, limit: 1 };
    const [event] = (await this.#service.request("asyncTasks/events", page)).events;
    const part = event?.type === "tool" ? event.content?.[index] : undefined;
    if (part?.type !== "diff") {
      throw new Error(strings.runs.noChange);
    }
    return part;
  }
}

/** Return a URI whose path determines the language and whose query finds the text after a reload. */
function uriOf({ taskId, seq, index }: Change, side: Side, path: string): vscode.Uri {
  const query = JSON.stringify({ taskId, seq, index, side });
  return vscode.Uri.from({ scheme: SCHEME, path: vscode.Uri.file(path).path, query });
}
