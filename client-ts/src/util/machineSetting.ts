import * as vscode from "vscode";

/** A command of the editor with its argument. */
export type SettingCommand = readonly [command: string, argument: unknown];

/**
 * Return the command that shows a setting of the machine. A remote window lists those apart from the
 * user's, where they would not be found.
 */
export function machineSetting(
  query: string,
  isRemote = vscode.env.remoteName !== undefined,
): SettingCommand {
  return isRemote
    ? ["workbench.action.openRemoteSettings", { query }]
    : ["workbench.action.openSettings", query];
}
