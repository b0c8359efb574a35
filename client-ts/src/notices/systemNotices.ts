import * as vscode from "vscode";

import { SECTION } from "../service/settings.js";
import * as strings from "../text/strings.js";
import { showSystemNotice } from "./systemNotice.js";

/**
 * Repeats notifications outside the editor while its window has no focus: VS Code gives extensions no way to
 * do so. Only on the user's own desktop; a remote machine or a browser has no desktop of this user.
 */
export class SystemNotices {
  readonly #show: (title: string, text: string) => Promise<string | undefined>;
  readonly #log: (line: string) => void;

  constructor(log: (line: string) => void, show = showSystemNotice) {
    this.#log = log;
    this.#show = show;
  }

  /** Show a text, unless the setting or the place of the extension says not to. */
  add(text: string): void {
    const { systemNotices } = strings.runs;
    const config = vscode.workspace.getConfiguration(SECTION);
    const isWanted = config.get<boolean>("systemNotifications", true);
    if (isWanted && !vscode.window.state.focused && isOnDesktop()) {
      void this.#show(systemNotices, text).then((problem) => {
        if (problem !== undefined) {
          this.#log(`no notification of the system: ${problem}`);
        }
      });
    }
  }
}

function isOnDesktop(): boolean {
  const { remoteName, uiKind } = vscode.env;
  return remoteName === undefined && uiKind === vscode.UIKind.Desktop;
}
