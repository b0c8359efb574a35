// Only this module shows notifications and dialogs, see eslint.config.mjs.
import * as vscode from "vscode";

import { refusalWords } from "../refusals/refusalWords.js";
import { unlinked } from "../text/words.js";

/** Show a message with buttons; return the selected one. Nothing in the message becomes a link. */
export function inform<T extends string>(
  message: string,
  ...buttons: T[]
): Thenable<T | undefined> {
  return vscode.window.showInformationMessage(unlinked(message), ...buttons);
}

/** Show a warning with buttons; return the selected one. Nothing in the message becomes a link. */
export function warn<T extends string>(message: string, ...buttons: T[]): Thenable<T | undefined> {
  return vscode.window.showWarningMessage(unlinked(message), ...buttons);
}

/** Show an error with buttons; return the selected one. Nothing in the message becomes a link. */
export function showError<T extends string>(
  error: unknown,
  ...buttons: T[]
): Thenable<T | undefined> {
  return vscode.window.showErrorMessage(unlinked(refusalWords(error)), ...buttons);
}

/** Ask in a modal dialog; return whether the user agreed. */
export async function confirm(question: string, detail: string, agree: string): Promise<boolean> {
  const options = { modal: true, detail };
  return (await vscode.window.showWarningMessage(unlinked(question), options, agree)) === agree;
}
