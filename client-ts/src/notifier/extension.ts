import * as vscode from "vscode";

import { SHOW_COMMAND, showSystemNotice } from "../notices/systemNotice.js";

/** The extension itself shows at most a line. */
const MOST_CHARS = 500;

/** Register the one command of the companion extension, which runs on the user's computer. */
export function activate(context: vscode.ExtensionContext): void {
  context.subscriptions.push(vscode.commands.registerCommand(SHOW_COMMAND, show));
}

/** Show a notification; resolves to what went wrong. Any extension can call this, with anything. */
function show(title: unknown, text: unknown): Promise<string | undefined> {
  if (typeof title !== "string" || typeof text !== "string") {
    throw new TypeError(SHOW_COMMAND);
  }
  return showSystemNotice(plain(title), plain(text));
}

/** Return the start of a text without control characters, which no program takes in its arguments. */
function plain(text: string): string {
  return text.slice(0, MOST_CHARS).replace(/\p{Cc}/gu, " ");
}
