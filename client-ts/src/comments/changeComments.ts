import * as vscode from "vscode";

import { CHANGES_SCHEME } from "../review/changeUri.js";
import type { ChangeText } from "../review/toolDiffs.js";
import * as strings from "../text/strings.js";
import { ChangeThread, type KeptThread, linesAt, ownComment, showComment } from "./changeThread.js";
import { reviewText } from "./reviewText.js";

/** The id of the comments in the manifest. */
const CONTROLLER = "subagentSidecar.changes";
/** Where comments are kept that were not sent yet. */
const KEPT = "changeComments";
/** Whether there are comments to send, for the manifest. */
const CONTEXT = "subagentSidecar.commented";

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
  /** The threads with comments, by those of the editor. */
  readonly #threads = new Map<vscode.CommentThread, ChangeThread>();
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
    for (const { uri, first, last, lines, texts: words } of memory.get<readonly KeptThread[]>(
      KEPT,
      [],
    )) {
      const range = new vscode.Range(first, 0, last, 0);
      const thread = this.#controller.createCommentThread(vscode.Uri.parse(uri), range, []);
      this.#put(thread, lines).add(words);
    }
    this.#note();
  }

  /** Add a comment that was written below a line; an empty one is not. */
  async add({ thread, text }: vscode.CommentReply): Promise<void> {
    if (text.trim() !== "") {
      const known = this.#threads.get(thread) ?? this.#put(thread, await this.#linesAt(thread));
      known.add([text.trim()]);
      await this.#keep();
    }
  }

  /** Let the reader change a comment. */
  edit(comment: vscode.Comment): void {
    showComment(ownComment(comment), vscode.CommentMode.Editing);
  }

  /** Keep what the reader changed, or remove a comment of which nothing is left. */
  async save(comment: vscode.Comment): Promise<void> {
    const own = ownComment(comment);
    if (own.body.trim() === "") {
      return this.remove(own);
    }
    own.saved = own.body;
    showComment(own, vscode.CommentMode.Preview);
    await this.#keep();
  }

  /** Forget what the reader changed. */
  cancel(comment: vscode.Comment): void {
    const own = ownComment(comment);
    own.body = own.saved;
    showComment(own, vscode.CommentMode.Preview);
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
    return [...new Set([...this.#threads.values()].map((each) => each.taskId))];
  }

  /**
   * Return the comments on the changes of a run as a message to its agent. Throws while one is edited: the editor
   * passes on what was typed only when that is saved.
   */
  async messageTo(taskId: string): Promise<string> {
    const threads = [...this.#threads.values()].filter((each) => each.taskId === taskId);
    if (threads.some(({ isEdited }) => isEdited)) {
      throw new Error(strings.comments.edited);
    }
    const remarks = threads.map(async (each) => each.remark(await this.#texts.at(each.uri)));
    return reviewText(await Promise.all(remarks));
  }

  /** Remove the comments on the changes of a run. */
  async clear(taskId: string): Promise<void> {
    for (const [thread, { taskId: owner }] of this.#threads) {
      if (owner === taskId) {
        this.#drop(thread);
      }
    }
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

  /** Comments stay at their lines when the agent changes the file again. */
  #follow(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    for (const thread of this.#threads.values()) {
      if (thread.uri.toString() === uri) {
        thread.move(document.getText());
      }
    }
  }

  async #linesAt(thread: vscode.CommentThread): Promise<readonly string[]> {
    const { text } = await this.#texts.at(thread.uri);
    return text === undefined ? [] : linesAt(thread, text);
  }

  #put(thread: vscode.CommentThread, lines: readonly string[]): ChangeThread {
    const put = new ChangeThread(thread, lines);
    this.#threads.set(thread, put);
    return put;
  }

  #drop(thread: vscode.CommentThread): void {
    this.#threads.delete(thread);
    thread.dispose();
  }

  async #keep(): Promise<void> {
    this.#note();
    const kept = [...this.#threads.values()].map((each) => each.kept);
    await this.#memory.update(KEPT, kept);
  }

  #note(): void {
    void vscode.commands.executeCommand("setContext", CONTEXT, this.#threads.size > 0);
  }
}
