import { warn } from "../questions/notify.js";
import * as vscode from "vscode";
import * as strings from "../text/strings.js";

/**
 * Return whether programs may run here. In Restricted Mode, tell the user why not and how to change
 * it; the sidecar refuses as well.
 */
export async function requireTrust(): Promise<boolean> {
  if (vscode.workspace.isTrusted) {
    return true;
  }
  const { untrusted, manageTrust } = strings.runs;
  if ((await warn(untrusted, manageTrust)) === manageTrust) {
    await vscode.commands.executeCommand("workbench.trust.manage");
  }
  return false;
}
