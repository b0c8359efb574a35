import * as vscode from "vscode";

import { SECTION } from "../service/settings.js";
import * as strings from "../text/strings.js";
import { messageOf } from "../util/errors.js";
import { showSystemNotice } from "./systemNotice.js";

/** Shows a notification of the system. Resolves to what went wrong; to undefined if nothing did. */
type Show = (title: string, text: string) => Promise<string | undefined>;

/**
 * Repeats notifications outside the editor while its window has no focus: VS Code gives extensions no way to
 * do so. In a remote window, only the companion extension can; in a browser, nothing can.
 */
export class SystemNotices {
  readonly #show: Show;
  readonly #showRemote: Show;
  readonly #log: (line: string) => void;

  constructor(log: (line: string) => void, showRemote: Show, show: Show = showSystemNotice) {
    this.#log = log;
    this.#showRemote = showRemote;
    this.#show = show;
  }

  /** Show a text, unless the setting or the place of the extension says not to. */
  add(text: string): void {
    const config = vscode.workspace.getConfiguration(SECTION);
    const isWanted = config.get<boolean>("systemNotifications", true);
    if (isWanted && !vscode.window.state.focused) {
      void this.#present(text);
    }
  }

  async #present(text: string): Promise<void> {
    const { remoteName, uiKind } = vscode.env;
    if (uiKind === vscode.UIKind.Desktop) {
      const show = remoteName === undefined ? this.#show : this.#showRemote;
      const problem = await show(strings.runs.systemNotices, text).catch(messageOf);
      if (problem !== undefined) {
        this.#log(`no notification of the system: ${problem}`);
      }
    }
  }
}
