import * as vscode from "vscode";

import { messageOf } from "../util/errors.js";
import { inform, showError } from "../questions/notify.js";
import type { Settings } from "../protocol.js";
import { SECTION, START_KEYS } from "./settings.js";
import type { SidecarService } from "./sidecarService.js";

/** Hand changed settings to the sidecar; offer a restart for those that only a start reads. */
export function followSettings(
  service: SidecarService,
  settings: () => Settings,
): vscode.Disposable {
  let inForce: Settings | undefined;
  const started = service.onDidChangeState(() => {
    inForce ??= settings();
  });
  const changed = vscode.workspace.onDidChangeConfiguration((event) => {
    if (!event.affectsConfiguration(SECTION)) {
      return;
    }
    const before = inForce ?? {}; // No sidecar has been given any yet.
    inForce = settings();
    const atStart = START_KEYS.some((key) => event.affectsConfiguration(`${SECTION}.${key}`));
    if (atStart && service.state.kind === "failed") {
      service.restart().catch(() => undefined); // The state tells of it.
      return;
    }
    if (atStart || takesAway(before, inForce)) {
      void offerRestart(service);
    }
    service.updateSettings(inForce).catch((error: unknown) => {
      void showError(`Subagents: ${messageOf(error)}`);
    });
  });
  return vscode.Disposable.from(started, changed);
}

/** Whether something that was set no longer is: an update adds and replaces, and takes nothing back. */
export function takesAway(before: object, now: object): boolean {
  return Object.entries(before).some(([key, value]: [string, unknown]) => {
    const after = (now as Record<string, unknown>)[key];
    return after === undefined || (isTable(value) && isTable(after) && takesAway(value, after));
  });
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function offerRestart(service: SidecarService): Promise<void> {
  if (service.state.kind === "idle") {
    return;
  }
  const restart = "Restart the Sidecar";
  const message = "The changed setting takes effect when the sidecar is restarted.";
  if ((await inform(message, restart)) === restart) {
    await vscode.commands.executeCommand("subagentSidecar.sidecar.restart");
  }
}
