import * as vscode from "vscode";

import * as strings from "../text/strings.js";

/** The cursor of the editor that was active last: while a conversation has the focus, none is. */
export class Cursor {
  #last = [vscode.window.activeTextEditor].find(isWritable);
  readonly #subscription = vscode.window.onDidChangeActiveTextEditor((editor) => {
    this.#last = isWritable(editor) ? editor : this.#last;
  });

  /** Insert a text in place of what is selected, and show it. */
  async insert(text: string): Promise<void> {
    const editor = await this.#show();
    const inserted = await editor.edit((edit) => {
      for (const selection of editor.selections) {
        edit.replace(selection, text.replace(/\n$/u, ""));
      }
    });
    if (!inserted) {
      throw new Error(
        strings.runs.notInserted(vscode.workspace.asRelativePath(editor.document.uri.fsPath)),
      );
    }
  }

  /** Return the file of the editor that was active last. */
  file(): vscode.Uri {
    return this.#editor().document.uri;
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  /** Another tab may hide the editor. */
  async #show(): Promise<vscode.TextEditor> {
    const { document, selections, viewColumn } = this.#editor();
    const options = viewColumn === undefined ? {} : { viewColumn };
    const shown = await vscode.window.showTextDocument(document, options);
    shown.selections = selections;
    return shown;
  }

  /** Return the editor that was active last, else the only one in view, such as after a reload. */
  #editor(): vscode.TextEditor {
    if (this.#last !== undefined && !this.#last.document.isClosed) {
      return this.#last;
    }
    const [first, ...others] = vscode.window.visibleTextEditors.filter(isWritable);
    if (first === undefined || others.length > 0) {
      throw new Error(strings.runs.noCursor);
    }
    return first;
  }
}

/** Whether an editor shows a file, and not the log or a transcript. */
function isWritable(editor: vscode.TextEditor | undefined): editor is vscode.TextEditor {
  const scheme = editor?.document.uri.scheme;
  return (
    scheme === "untitled" ||
    (scheme !== undefined && vscode.workspace.fs.isWritableFileSystem(scheme) === true)
  );
}
