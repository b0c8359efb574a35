import * as vscode from "vscode";

import { CHANGES_SCHEME, taskOfChange } from "../review/changeUri.js";
import type { ChangeText } from "../review/toolDiffs.js";
import * as strings from "../text/strings.js";
import { anchor, linesIn } from "./anchor.js";
import { type Remark, reviewText } from "./reviewText.js";

/** The id of the comments in the manifest. */
const CONTROLLER = "subagentSidecar.changes";
/** Where comments are kept that were not sent yet. */
const KEPT = "changeComments";
/** Whether there are comments to send, for the manifest. */
const CONTEXT = "subagentSidecar.commented";

/** A comment with the text that it had before it is edited. */
class ChangeComment implements vscode.Comment {
  readonly author = { name: strings.comments.you };
  readonly contextValue = "draft";
  readonly thread: vscode.CommentThread;
  body: string;
  saved: string;
  mode = vscode.CommentMode.Preview;

  constructor(thread: vscode.CommentThread, text: string) {
    this.thread = thread;
    this.body = this.saved = text;
  }
}

interface Kept {
  readonly uri: string;
  readonly first: number;
  readonly last: number;
  /** The lines that it is about, by which it is found when the agent changes the file again. */
  readonly lines: readonly string[];
  readonly texts: readonly string[];
}

/** Where the texts of changes are. */
export interface ChangeTexts {
  at(uri: vscode.Uri): Promise<ChangeText>;
  /** Whether a run was deleted. */
  isGone(taskId: string): Promise<boolean>;
}

/** The comments of readers on the changes of runs, until they are sent; a reload keeps them. */
export class ChangeComments implements vscode.Disposable {
  readonly #texts: ChangeTexts;
  readonly #memory: Pick<vscode.Memento, "get" | "update">;
  readonly #controller: vscode.CommentController;
  /** The threads with comments, and the lines that each is about. */
  readonly #threads = new Map<vscode.CommentThread, readonly string[]>();
  readonly #subscription: vscode.Disposable;

  constructor(texts: ChangeTexts, memory: Pick<vscode.Memento, "get" | "update">) {
    this.#texts = texts;
    this.#memory = memory;
    this.#controller = vscode.comments.createCommentController(CONTROLLER, strings.comments.label);
    const { prompt, placeHolder } = strings.comments;
    this.#controller.options = { prompt, placeHolder };
    this.#controller.commentingRangeProvider = {
      provideCommentingRanges: ({ uri, lineCount }) =>
        uri.scheme === CHANGES_SCHEME
          ? [new vscode.Range(0, 0, Math.max(0, lineCount - 1), 0)]
          : [],
    };
    this.#subscription = vscode.workspace.onDidChangeTextDocument(({ document }) => {
      this.#follow(document);
    });
    for (const { uri, first, last, lines, texts: words } of memory.get<readonly Kept[]>(KEPT, [])) {
      const range = new vscode.Range(first, 0, last, 0);
      const thread = this.#controller.createCommentThread(vscode.Uri.parse(uri), range, []);
      this.#put(thread, words, lines);
    }
    this.#note();
  }

  /** Add a comment that was written below a line; an empty one is not. */
  async add({ thread, text }: vscode.CommentReply): Promise<void> {
    if (text.trim() !== "") {
      this.#put(thread, [text.trim()], this.#threads.get(thread) ?? (await this.#linesAt(thread)));
      await this.#keep();
    }
  }

  /** Let the reader change a comment. */
  edit(comment: vscode.Comment): void {
    this.#show(ownComment(comment), vscode.CommentMode.Editing);
  }

  /** Keep what the reader changed, or remove a comment of which nothing is left. */
  async save(comment: vscode.Comment): Promise<void> {
    const own = ownComment(comment);
    if (own.body.trim() === "") {
      return this.remove(own);
    }
    own.saved = own.body;
    this.#show(own, vscode.CommentMode.Preview);
    await this.#keep();
  }

  /** Forget what the reader changed. */
  cancel(comment: vscode.Comment): void {
    const own = ownComment(comment);
    own.body = own.saved;
    this.#show(own, vscode.CommentMode.Preview);
  }

  /** Remove a comment, and its thread with the last one. */
  async remove(comment: vscode.Comment): Promise<void> {
    const { thread } = ownComment(comment);
    thread.comments = thread.comments.filter((each) => each !== comment);
    if (thread.comments.length === 0) {
      this.#drop(thread);
    }
    await this.#keep();
  }

  /** Return the runs with comments to send. */
  get taskIds(): readonly string[] {
    return [...new Set([...this.#threads.keys()].map(({ uri }) => taskOfChange(uri)))];
  }

  /**
   * Return the comments on the changes of a run as a message to its agent. Throws while one is edited: the editor
   * passes on what was typed only when that is saved.
   */
  async messageTo(taskId: string): Promise<string> {
    const all = this.#of(taskId).flatMap(({ comments }) => comments.map(ownComment));
    if (all.some(({ mode }) => mode === vscode.CommentMode.Editing)) {
      throw new Error(strings.comments.edited);
    }
    return reviewText(await Promise.all(this.#of(taskId).map((thread) => this.#remark(thread))));
  }

  /** Remove the comments on the changes of a run. */
  async clear(taskId: string): Promise<void> {
    this.#of(taskId).forEach((thread) => {
      this.#drop(thread);
    });
    await this.#keep();
  }

  /** Whether a run with comments was deleted, so that its agent gets no message. */
  isGone(taskId: string): Promise<boolean> {
    return this.#texts.isGone(taskId);
  }

  /** Remove the comments on runs that were deleted; a window also forgets runs that only are old. */
  async prune(taskIds: readonly string[]): Promise<void> {
    for (const taskId of this.taskIds.filter((each) => taskIds.includes(each))) {
      if (await this.isGone(taskId)) {
        await this.clear(taskId);
      }
    }
  }

  dispose(): void {
    this.#controller.dispose();
    this.#subscription.dispose();
  }

  #of(taskId: string): vscode.CommentThread[] {
    return [...this.#threads.keys()].filter(({ uri }) => taskOfChange(uri) === taskId);
  }

  async #remark(thread: vscode.CommentThread): Promise<Remark> {
    const { path, side, text } = await this.#texts.at(thread.uri);
    if (text !== undefined) {
      this.#move(thread, text);
    }
    const { first, last } = linesOf(thread);
    const lines = this.#threads.get(thread) ?? [];
    return { path, side, first: first + 1, last: last + 1, lines, texts: textsOf(thread) };
  }

  /** Comments stay at their lines when the agent changes the file again. */
  #follow(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    for (const thread of this.#threads.keys()) {
      if (thread.uri.toString() === uri) {
        this.#move(thread, document.getText());
      }
    }
  }

  #move(thread: vscode.CommentThread, text: string): void {
    const { first, last } = linesOf(thread);
    const at = anchor(linesIn(text), this.#threads.get(thread) ?? [], first);
    if (at !== undefined && at !== first) {
      thread.range = new vscode.Range(at, 0, at + last - first, 0);
    }
  }

  async #linesAt(thread: vscode.CommentThread): Promise<readonly string[]> {
    const { text } = await this.#texts.at(thread.uri);
    const { first, last } = linesOf(thread);
    return text === undefined ? [] : linesIn(text).slice(first, last + 1);
  }

  #put(thread: vscode.CommentThread, texts: readonly string[], lines: readonly string[]): void {
    thread.comments = [...thread.comments, ...texts.map((text) => new ChangeComment(thread, text))];
    thread.label = strings.comments.label;
    thread.contextValue = "draft";
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    this.#threads.set(thread, lines);
  }

  #show(comment: ChangeComment, mode: vscode.CommentMode): void {
    comment.mode = mode;
    comment.thread.comments = [...comment.thread.comments]; // The editor draws a new list only.
  }

  #drop(thread: vscode.CommentThread): void {
    this.#threads.delete(thread);
    thread.dispose();
  }

  async #keep(): Promise<void> {
    this.#note();
    const kept = [...this.#threads].map(([thread, lines]): Kept => {
      return { uri: thread.uri.toString(), ...linesOf(thread), lines, texts: textsOf(thread) };
    });
    await this.#memory.update(KEPT, kept);
  }

  #note(): void {
    void vscode.commands.executeCommand("setContext", CONTEXT, this.#threads.size > 0);
  }
}

function ownComment(comment: vscode.Comment): ChangeComment {
  if (!(comment instanceof ChangeComment)) {
    throw new Error("The editor named a comment of someone else.");
  }
  return comment;
}

function linesOf({ range }: vscode.CommentThread): { first: number; last: number } {
  return { first: range?.start.line ?? 0, last: range?.end.line ?? 0 };
}

function textsOf({ comments }: vscode.CommentThread): string[] {
  return comments.map((comment) => ownComment(comment).saved);
}
