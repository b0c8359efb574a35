import * as vscode from "vscode";

import { taskOfChange } from "../review/changeUri.js";
import type { ChangeText } from "../review/toolDiffs.js";
import * as strings from "../text/strings.js";
import { anchor, linesIn } from "./anchor.js";
import type { Remark } from "./reviewText.js";

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

/** What a reload keeps of a thread. */
export interface KeptThread {
  readonly uri: string;
  readonly first: number;
  readonly last: number;
  /** The lines that it is about, by which it is found when the agent changes the file again. */
  readonly lines: readonly string[];
  readonly texts: readonly string[];
}

/** The comments on some lines of a change. */
export class ChangeThread {
  readonly #thread: vscode.CommentThread;
  readonly #lines: readonly string[];

  constructor(thread: vscode.CommentThread, lines: readonly string[]) {
    this.#thread = thread;
    this.#lines = lines;
    thread.label = strings.comments.label;
    thread.contextValue = "draft";
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
  }

  /** The run whose change it is. */
  get taskId(): string {
    return taskOfChange(this.#thread.uri);
  }

  /** The address of the text that it is about. */
  get uri(): vscode.Uri {
    return this.#thread.uri;
  }

  /** Whether the reader is editing one of the comments. */
  get isEdited(): boolean {
    return this.#comments.some(({ mode }) => mode === vscode.CommentMode.Editing);
  }

  /** What a reload keeps. */
  get kept(): KeptThread {
    return {
      uri: this.#thread.uri.toString(),
      ...linesOf(this.#thread),
      lines: this.#lines,
      texts: this.#comments.map(({ saved }) => saved),
    };
  }

  /** Add comments. */
  add(texts: readonly string[]): void {
    const added = texts.map((text) => new ChangeComment(this.#thread, text));
    this.#thread.comments = [...this.#thread.comments, ...added];
  }

  /** Keep the comments at their lines when the agent has changed the file again. */
  move(text: string): void {
    const { first, last } = linesOf(this.#thread);
    const at = anchor(linesIn(text), this.#lines, first);
    if (at !== undefined && at !== first) {
      this.#thread.range = new vscode.Range(at, 0, at + last - first, 0);
    }
  }

  /** Return the comments as a part of a message. */
  remark({ path, side, text }: ChangeText): Remark {
    if (text !== undefined) {
      this.move(text);
    }
    const { first, last, lines, texts } = this.kept;
    return { path, side, first: first + 1, last: last + 1, lines, texts };
  }

  get #comments(): readonly ChangeComment[] {
    return this.#thread.comments.map(ownComment);
  }
}

/** Return a comment of this extension. Throws for any other. */
export function ownComment(comment: vscode.Comment): ChangeComment {
  if (!(comment instanceof ChangeComment)) {
    throw new Error("The editor named a comment of someone else.");
  }
  return comment;
}

/** Show a comment as text or in an input field. */
export function showComment(comment: ChangeComment, mode: vscode.CommentMode): void {
  comment.mode = mode;
  comment.thread.comments = [...comment.thread.comments]; // The editor redraws only for a new list.
}

/** Return the lines of a thread in a text. */
export function linesAt(thread: vscode.CommentThread, text: string): readonly string[] {
  const { first, last } = linesOf(thread);
  return linesIn(text).slice(first, last + 1);
}

function linesOf({ range }: vscode.CommentThread): { first: number; last: number } {
  return { first: range?.start.line ?? 0, last: range?.end.line ?? 0 };
}
