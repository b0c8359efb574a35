import * as vscode from "vscode";

import { messageOf } from "./errors.js";
import type { Settings } from "./protocol.js";
import { SECTION, START_KEYS } from "./settings.js";
import type { SidecarService } from "./sidecarService.js";

/** Hand changed settings to the sidecar; offer a restart for those that only a start reads. */
export function followSettings(
  service: SidecarService,
  settings: () => Settings,
): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (START_KEYS.some((key) => event.affectsConfiguration(`${SECTION}.${key}`))) {
      void offerRestart(service);
    } else if (event.affectsConfiguration(SECTION)) {
      service.updateSettings(settings()).catch((error: unknown) => {
        void vscode.window.showErrorMessage(`Subagents: ${messageOf(error)}`);
      });
    }
  });
}

async function offerRestart(service: SidecarService): Promise<void> {
  if (service.state.kind === "idle") {
    return;
  }
  const restart = "Restart the Sidecar";
  const message = "The changed setting takes effect when the sidecar is restarted.";
  if ((await vscode.window.showInformationMessage(message, restart)) === restart) {
    await vscode.commands.executeCommand("subagentSidecar.sidecar.restart");
  }
}
