import * as vscode from "vscode";

import type { ChangeComments } from "../comments/changeComments.js";
import { CHANGES_SCHEME, taskOfChange } from "../review/changeUri.js";
import { inform, showError } from "../questions/notify.js";
import * as strings from "../text/strings.js";

/** What these commands act on. */
export interface CommentingContext {
  readonly comments: ChangeComments;
  /** Where a message to the agent of a run is written. */
  readonly panel: {
    addToMessage(taskId: string, text: string): Promise<void>;
    addToGoal(text: string): Promise<void>;
  };
}

/** The commands on comments on changes, by their ids. */
export function commentingCommands(context: CommentingContext) {
  const { comments } = context;
  return {
    "subagentSidecar.comment.add": (reply: unknown) => comments.add(reply as vscode.CommentReply),
    "subagentSidecar.comment.edit": (comment: unknown) => {
      comments.edit(comment as vscode.Comment);
    },
    "subagentSidecar.comment.save": (comment: unknown) => comments.save(comment as vscode.Comment),
    "subagentSidecar.comment.cancel": (comment: unknown) => {
      comments.cancel(comment as vscode.Comment);
    },
    "subagentSidecar.comment.remove": (comment: unknown) =>
      comments.remove(comment as vscode.Comment),
    "subagentSidecar.comment.send": (target?: unknown) => send(context, target),
  };
}

/** Write the comments on the changes of a run into the next message to it; without a run, those of all. */
async function send(context: CommentingContext, target: unknown): Promise<void> {
  const { comments } = context;
  if (isReply(target)) {
    await comments.add(target);
  }
  const taskId = taskIdOf(target);
  const taskIds = comments.taskIds.filter((each) => taskId === undefined || each === taskId);
  if (taskIds.length === 0) {
    await inform(strings.comments.none);
  }
  for (const each of taskIds) {
    await sendAll(context, each).catch(showError); // The comments stay, and others are sent.
  }
}

async function sendAll({ comments, panel }: CommentingContext, taskId: string): Promise<void> {
  const text = await comments.messageTo(taskId);
  if (await comments.isGone(taskId)) {
    await panel.addToGoal(text);
    void inform(strings.comments.gone);
  } else {
    await panel.addToMessage(taskId, text);
  }
  await comments.clear(taskId);
}

function isReply(target: unknown): target is vscode.CommentReply {
  return typeof target === "object" && target !== null && "text" in target && "thread" in target;
}

/** Return the run of a reply, of a thread or of an editor: the named one, or the one in front. */
function taskIdOf(target: unknown): string | undefined {
  const thread = isReply(target) ? target.thread : target;
  const uri =
    thread instanceof vscode.Uri
      ? thread
      : ((thread as Partial<vscode.CommentThread> | undefined)?.uri ??
        vscode.window.activeTextEditor?.document.uri);
  return uri?.scheme === CHANGES_SCHEME ? taskOfChange(uri) : undefined;
}
