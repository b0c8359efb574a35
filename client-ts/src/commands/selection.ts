import * as vscode from "vscode";

import { mentionOf } from "../offers/mention.js";
import { inform } from "../questions/notify.js";
import * as strings from "../text/strings.js";

/** The command that names the selected lines in the composer, by its id. */
export function selectionCommands(composer: { addToGoal(text: string): Promise<void> }) {
  return {
    "subagentSidecar.composer.addSelection": async () => {
      const editor = vscode.window.activeTextEditor;
      if (editor === undefined || editor.document.isUntitled) {
        void inform(strings.attaching.noSelection);
        return;
      }
      const { document, selection } = editor;
      const file = vscode.workspace.asRelativePath(document.uri).replaceAll("\\", "/");
      await composer.addToGoal(mentionOf(file, linesOf(selection)));
    },
  };
}

/** Return the lines of a selection, from 1; a line of which nothing is selected does not count. */
function linesOf({ isEmpty, start, end }: vscode.Selection): readonly [number, number] | undefined {
  const last = end.character === 0 ? Math.max(start.line, end.line - 1) : end.line;
  return isEmpty ? undefined : [start.line + 1, last + 1];
}
