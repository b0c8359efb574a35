// Only this module shows quick inputs by a function of the editor, see eslint.config.mjs: the editor does not say whether one is open.
import * as vscode from "vscode";

let open = 0;
const closed = new vscode.EventEmitter<void>();

/** Fires when a quick input of this extension is closed. */
export const onDidCloseInput = closed.event;

/** Whether a quick input of this extension is open, which closes if something else takes the focus. */
export function isInputOpen(): boolean {
  return open > 0;
}

/** Let the user select rows, as the editor's function of this name does. */
export function showQuickPick<T extends vscode.QuickPickItem>(
  rows: readonly T[],
  options: vscode.QuickPickOptions & { readonly canPickMany: true },
): Promise<T[] | undefined>;
export function showQuickPick<T extends vscode.QuickPickItem>(
  rows: readonly T[],
  options?: vscode.QuickPickOptions,
): Promise<T | undefined>;
export function showQuickPick<T extends vscode.QuickPickItem>(
  rows: readonly T[],
  options?: vscode.QuickPickOptions,
): Promise<T | T[] | undefined> {
  return whileOpen<T | T[] | undefined>(vscode.window.showQuickPick(rows, options));
}

/** Let the user enter a text, as the editor's function of this name does. */
export const showInputBox: typeof vscode.window.showInputBox = (...args) =>
  whileOpen(vscode.window.showInputBox(...args));

/** Wait for what the user does in a quick input that the caller made and shows. */
export async function whileOpen<T>(asked: Thenable<T>): Promise<T> {
  open += 1;
  try {
    return await asked;
  } finally {
    open -= 1;
    closed.fire();
  }
}
