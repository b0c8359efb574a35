import * as vscode from "vscode";

import { SHOW_COMMAND, showSystemNotice } from "../notices/systemNotice.js";

/** Register the one command of the companion extension, which runs on the user's computer. */
export function activate(context: vscode.ExtensionContext): void {
  context.subscriptions.push(vscode.commands.registerCommand(SHOW_COMMAND, show));
}

/** Show a notification; resolves to what went wrong. Any extension can call this, with anything. */
function show(title: unknown, text: unknown): Promise<string | undefined> {
  if (typeof title !== "string" || typeof text !== "string") {
    throw new TypeError(SHOW_COMMAND);
  }
  return showSystemNotice(title, text);
}
