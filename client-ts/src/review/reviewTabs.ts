import * as vscode from "vscode";

import { isInputOpen, onDidCloseInput } from "../questions/quickInput.js";
import { urisOf } from "./changeUri.js";
import type { Edit } from "./runChanges.js";

/** An editor with all changes of a run. */
interface Review {
  readonly taskId: string;
  readonly title: string;
  readonly edits: readonly Edit[];
  /** Whether it has all changes of the run, and not those of one file. */
  readonly isWhole: boolean;
}

interface Tracked extends Review {
  readonly tab: vscode.Tab;
}

/** Opens an editor with all files that it can, and at a place in one. */
const OPEN_AT = "_workbench.openMultiDiffEditor";

/**
 * The editors with all changes of runs. The editor cannot add a file to one that is open, so it is replaced when
 * the run changes another file: while it has the focus, since nothing may take the focus elsewhere.
 */
export class ReviewTabs implements vscode.Disposable {
  readonly #edits: (taskId: string) => Promise<readonly Edit[]>;
  readonly #tracked = new Map<string, Tracked>();
  readonly #subscriptions: vscode.Disposable;
  #isReplacing = false;

  constructor(edits: (taskId: string) => Promise<readonly Edit[]>) {
    this.#edits = edits;
    const updateAll = (): void => {
      [...this.#tracked.keys()].forEach((taskId) => void this.update(taskId));
    };
    this.#subscriptions = vscode.Disposable.from(
      vscode.window.tabGroups.onDidChangeTabs(updateAll),
      vscode.window.tabGroups.onDidChangeTabGroups(updateAll),
      onDidCloseInput(updateAll),
    );
  }

  /** Show changes of a run, in place of the editor that shows them already. */
  async open(review: Review): Promise<void> {
    const { taskId, title, edits } = review;
    const earlier = this.#shown(taskId);
    if (earlier !== undefined && review.isWhole) {
      this.#tracked.delete(taskId);
      await vscode.window.tabGroups.close(earlier.tab, true);
    }
    const resources = edits.map((edit) => [vscode.Uri.file(edit.path), ...urisOf(taskId, edit)]);
    await vscode.commands.executeCommand("vscode.changes", title, resources);
    this.#track(review);
  }

  /** Show new files of a run in its editor, if that has the focus and the user does nothing that this would end. */
  async update(taskId: string): Promise<void> {
    const shown = this.#shown(taskId);
    if (shown === undefined || this.#isReplacing || !isInFront(shown.tab) || isBusy()) {
      return;
    }
    this.#isReplacing = true;
    try {
      const edits = await this.#edits(taskId);
      if (edits.length > shown.edits.length && isInFront(shown.tab) && !isBusy()) {
        await this.#replace(shown, edits);
      }
    } finally {
      this.#isReplacing = false;
    }
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #replace({ tab, ...review }: Tracked, edits: readonly Edit[]): Promise<void> {
    const { taskId, title } = review;
    const editor = vscode.window.activeTextEditor;
    const place = editor?.document.uri.toString();
    const texts = edits.map((edit) => urisOf(taskId, edit));
    const isShown = texts.some(([, after]) => after.toString() === place);
    this.#tracked.delete(taskId);
    await vscode.commands.executeCommand(OPEN_AT, {
      title,
      resources: texts.map(([originalUri, modifiedUri]) => ({ originalUri, modifiedUri })),
      ...(isShown &&
        editor && { reveal: { modifiedUri: editor.document.uri, range: rangeOf(editor) } }),
    });
    this.#track({ ...review, edits });
    await vscode.window.tabGroups.close(tab, true);
  }

  #track(review: Review): void {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    if (review.isWhole && tab?.label.startsWith(review.title) === true) {
      this.#tracked.set(review.taskId, { ...review, tab });
    }
  }

  /** Return the open editor of a run, and forget one that is closed. */
  #shown(taskId: string): Tracked | undefined {
    const tracked = this.#tracked.get(taskId);
    if (tracked !== undefined && !tracked.tab.group.tabs.includes(tracked.tab)) {
      this.#tracked.delete(taskId);
      return undefined;
    }
    return tracked;
  }
}

function isInFront({ isActive, group }: vscode.Tab): boolean {
  return isActive && group.isActive;
}

/** Whether the user does something that would end if another editor opened. */
function isBusy(): boolean {
  return isWriting() || isInputOpen();
}

/** Whether someone is writing a comment, which would be lost if the editor closed. */
function isWriting(): boolean {
  return vscode.workspace.textDocuments.some(
    (document) => document.uri.scheme === "comment" && document.getText().trim() !== "",
  );
}

/** Return where a reader is, as the editor counts: from 1. */
function rangeOf({ selection }: vscode.TextEditor) {
  const { line } = selection.active;
  return {
    ...{ startLineNumber: line + 1, startColumn: 1 },
    ...{ endLineNumber: line + 1, endColumn: 1 },
  };
}
