import * as vscode from "vscode";

import { inform, showError } from "../questions/notify.js";
import * as strings from "../text/strings.js";
import { messageOf } from "../util/errors.js";
import { SHOW_COMMAND } from "./systemNotice.js";

const INSTALL = "workbench.extensions.installExtension";
const OFFERED = "notifierOffered";

/** The companion extension, which runs on the user's computer while this one runs on a remote machine. */
export class Companion {
  readonly #vsix: vscode.Uri;
  readonly #memory: vscode.Memento;

  constructor(extensionUri: vscode.Uri, memory: vscode.Memento) {
    this.#vsix = vscode.Uri.joinPath(extensionUri, "bundled/notifier.vsix");
    this.#memory = memory;
  }

  /** Show a notification; resolves to what went wrong. Offers the extension once if it is missing. */
  async show(title: string, text: string): Promise<string | undefined> {
    try {
      return await vscode.commands.executeCommand<string | undefined>(SHOW_COMMAND, title, text);
    } catch (error) {
      if (await isInstalled()) {
        return messageOf(error);
      }
      await this.#offer();
      return undefined;
    }
  }

  /** Install the extension on the user's computer, where VS Code puts one of its kind. */
  async install(): Promise<void> {
    await vscode.commands.executeCommand(INSTALL, this.#vsix);
    void inform(strings.runs.notifierInstalled);
  }

  async #offer(): Promise<void> {
    if (!this.#memory.get<boolean>(OFFERED, false)) {
      await this.#memory.update(OFFERED, true);
      const { offerNotifier, installNotifier, notNow } = strings.runs;
      if ((await inform(offerNotifier, installNotifier, notNow)) === installNotifier) {
        await this.install().catch(showError);
      }
    }
  }
}

async function isInstalled(): Promise<boolean> {
  return (await vscode.commands.getCommands(true)).includes(SHOW_COMMAND);
}
