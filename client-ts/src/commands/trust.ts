import { warn } from "../questions/notify.js";
import * as vscode from "vscode";

/**
 * Tell whether something may be executed here. In Restricted Mode the user is told why not, and
 * how to change it; the sidecar refuses as well.
 */
export async function requireTrust(): Promise<boolean> {
  if (vscode.workspace.isTrusted) {
    return true;
  }
  const manage = "Manage Workspace Trust";
  const message =
    "Subagents run programs, so they are not launched in Restricted Mode. The task history can " +
    "be read. Trust the workspace to launch.";
  if ((await warn(message, manage)) === manage) {
    await vscode.commands.executeCommand("workbench.trust.manage");
  }
  return false;
}
