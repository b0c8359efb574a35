import { arch, platform, release } from "node:os";

import * as vscode from "vscode";

import * as strings from "../text/strings.js";
import { diagnosticsText } from "./diagnostics.js";
import { messageOf } from "../util/errors.js";
import type { Installation } from "./installation.js";
import { isAnswering } from "../client/state.js";
import type { SidecarService } from "./sidecarService.js";

/** Collect the facts for a bug report, even if the sidecar does not work. */
export async function collectDiagnostics(
  context: vscode.ExtensionContext,
  service: SidecarService,
  installation: Installation,
): Promise<string> {
  const { state, info, pid } = service;
  return diagnosticsText({
    extension: (context.extension.packageJSON as { version: string }).version,
    editor: `${vscode.env.appName} ${vscode.version}`,
    system: `${platform()} ${release()} ${arch()}, node ${process.version}`,
    remote: vscode.env.remoteName ?? "none",
    trusted: vscode.workspace.isTrusted,
    folders: vscode.workspace.workspaceFolders?.length ?? 0,
    state: state.message === undefined ? state.kind : `${state.kind}: ${state.message}`,
    environment: await installation.environment.describe().catch(messageOf),
    sidecar: { pid, ...info?.serverInfo, runners: info?.runners, storageRoot: info?.storageRoot },
    health: isAnswering(state)
      ? await service.request("health", {}).catch(messageOf)
      : strings.sidecar.notRunning,
    settings: changedSettings(context),
  });
}

function changedSettings(context: vscode.ExtensionContext): string[] {
  const { contributes } = context.extension.packageJSON as {
    contributes: { configuration: { properties: object } };
  };
  const configuration = vscode.workspace.getConfiguration();
  return Object.keys(contributes.configuration.properties).filter((key) => {
    const levels = configuration.inspect(key);
    return levels?.globalValue !== undefined || levels?.workspaceValue !== undefined;
  });
}
