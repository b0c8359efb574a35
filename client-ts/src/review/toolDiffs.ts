import * as vscode from "vscode";

import type { AsyncTask, ToolContent } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { isSameFile, pathInside } from "../text/places.js";
import * as strings from "../text/strings.js";
import { isGone } from "../util/errors.js";
import { oneLine } from "../text/words.js";
import { nextToConversation } from "../util/showFile.js";
import {
  CHANGES_SCHEME,
  type ChangeSpot,
  placeOf,
  type Side,
  taskOfChange,
  uriOf,
  urisOf,
} from "./changeUri.js";
import { FollowedChanges } from "./followedChanges.js";
import { ReviewTabs } from "./reviewTabs.js";
import type { Spot } from "./runChanges.js";

/** How much of a goal a title has, in characters. */
const GOAL_CHARS = 40;

/** One of the two texts of a change, and its path: in the run's folder, if it is there. */
export interface ChangeText {
  readonly path: string;
  readonly side: Side;
  /** Undefined if the run or the change is gone. */
  readonly text: string | undefined;
}

/** The texts of changes in runs, as documents for the editor's diffs; they follow a run that works. */
export class ToolDiffs implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #service: SubagentService;
  readonly #followed: FollowedChanges;
  readonly #tabs: ReviewTabs;
  readonly #registrations: vscode.Disposable;
  readonly #grown = new vscode.EventEmitter<vscode.Uri>();
  /** The open texts that may grow, by their URIs. */
  readonly #open = new Map<string, vscode.Uri>();

  /** Fires with a text that may be different now. */
  readonly onDidChange = this.#grown.event;

  constructor(service: SubagentService) {
    this.#service = service;
    this.#followed = new FollowedChanges(service);
    this.#tabs = new ReviewTabs((taskId) => this.#followed.edits(taskId));
    this.#registrations = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(CHANGES_SCHEME, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.#closed(uri);
      }),
      this.#followed.onDidChange((taskId) => {
        this.#of(taskId).forEach((uri) => {
          this.#grown.fire(uri);
        });
        void this.#tabs.update(taskId);
      }),
      this.#followed,
      this.#tabs,
      this.#grown,
    );
  }

  /** Show a change in the editor's diff; rejects if the run has no such change. */
  async open({ taskId, seq, index }: ChangeSpot): Promise<void> {
    const spot = { taskId, seq, index };
    const { path = "" } = await this.#part(spot);
    await showDiff(
      path,
      uriOf({ ...spot, side: "before" }, path),
      uriOf({ ...spot, side: "after" }, path),
    );
  }

  /** Show all changes of a run, or those of one file, in one editor. */
  async openAll(taskId: string, path?: string): Promise<void> {
    const all = await this.#followed.edits(taskId);
    const edits = path === undefined ? all : all.filter((each) => isSameFile(each.path, path));
    const [only] = edits;
    const task = await this.#run(taskId);
    if (only === undefined) {
      this.#releaseUnused(taskId);
      throw new Error(strings.runs.noChanges);
    }
    if (edits.length === 1 && (path !== undefined || task?.completedAt !== undefined)) {
      await showDiff(only.path, ...urisOf(taskId, only));
    } else {
      const title = titleOf(task);
      await this.#tabs.open({ taskId, title, edits, isWhole: path === undefined });
    }
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const { side } = placeOf(uri);
    const { oldText = "", newText = "" } = await this.#part(await this.#spotOf(uri));
    return side === "before" ? oldText : newText;
  }

  /** Return a text of a change; without the text if the run no longer has it. */
  async at(uri: vscode.Uri): Promise<ChangeText> {
    const { side, taskId } = placeOf(uri);
    const part = await unlessGone(this.#spotOf(uri).then((spot) => this.#find(spot)));
    const { path = uri.path, oldText = "", newText = "" } = part ?? {};
    const text = side === "before" ? oldText : newText;
    const folder = (await this.#run(taskId))?.workspaceDir;
    return { path: pathInside(path, folder) ?? path, side, text: part && text };
  }

  /** Whether a run was deleted; rejects if the sidecar does not know. */
  async isGone(taskId: string): Promise<boolean> {
    return (await this.#run(taskId)) === undefined;
  }

  dispose(): void {
    this.#registrations.dispose();
  }

  #of(taskId: string): vscode.Uri[] {
    return [...this.#open.values()].filter((uri) => taskOfChange(uri) === taskId);
  }

  #closed(uri: vscode.Uri): void {
    if (this.#open.delete(uri.toString())) {
      this.#releaseUnused(taskOfChange(uri));
    }
  }

  #releaseUnused(taskId: string): void {
    if (this.#of(taskId).length === 0) {
      this.#followed.release(taskId);
    }
  }

  /** Return where a text is now: a change that may grow ends with the last that follows from it. */
  async #spotOf(uri: vscode.Uri): Promise<ChangeSpot> {
    const { taskId, seq, index, side, grows } = placeOf(uri);
    if (grows !== true) {
      return { taskId, seq, index };
    }
    this.#open.set(uri.toString(), uri);
    const edits = await this.#followed.edits(taskId);
    const edit = edits.find(({ before }) => before.seq === seq && before.index === index);
    const spot: Spot = edit?.[side] ?? { seq, index };
    return { taskId, ...spot };
  }

  async #part(change: ChangeSpot): Promise<ToolContent> {
    const part = await this.#find(change);
    if (part === undefined) {
      throw new Error(strings.runs.noChange);
    }
    return part;
  }

  async #find({ taskId, seq, index }: ChangeSpot): Promise<ToolContent | undefined> {
    const page = { taskId, afterSeq: seq - 1, limit: 1 };
    const [event] = (await this.#service.request("asyncTasks/events", page)).events;
    const part = event?.type === "tool" ? event.content?.[index] : undefined;
    return part?.type === "diff" ? part : undefined;
  }

  async #run(taskId: string): Promise<AsyncTask | undefined> {
    return (await unlessGone(this.#service.request("asyncTasks/get", { taskId })))?.task;
  }
}

function titleOf(task: AsyncTask | undefined): string {
  const { subagentName = "", goalPrompt = "" } = task ?? {};
  return strings.runs.changesOf(subagentName, oneLine(goalPrompt, GOAL_CHARS));
}

async function showDiff(path: string, before: vscode.Uri, after: vscode.Uri): Promise<void> {
  const name = path.split(/[\\/]/u).at(-1) ?? path;
  const options = { viewColumn: nextToConversation(), preview: true };
  const title = strings.runs.changeTitle(name);
  await vscode.commands.executeCommand("vscode.diff", before, after, title, options);
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
