import { homedir } from "node:os";

import * as vscode from "vscode";

import type { Adapter } from "../../offers/installedAgents.js";
import { inform } from "../../questions/notify.js";
import * as strings from "../../text/strings.js";

/** Explain that an agent needs an adapter; returns whether the user says that it is installed by now. */
export async function offerAdapter(title: string, adapter: Adapter): Promise<boolean> {
  const { lacksAdapter, openTerminal, runCommand, tryAgain } = strings.installed;
  if ((await inform(lacksAdapter(title, adapter.name), openTerminal)) !== openTerminal) {
    return false;
  }
  typeInTerminal(adapter);
  return (await inform(runCommand(title), tryAgain)) === tryAgain;
}

/** Type the command where the user sees it, and leave it to them to run it. */
function typeInTerminal({ name, install }: Adapter): void {
  const terminal = vscode.window.createTerminal({
    name: strings.installed.terminal(name),
    cwd: homedir(),
    iconPath: new vscode.ThemeIcon("desktop-download"),
    isTransient: true,
  });
  terminal.show();
  terminal.sendText(install, false);
}
