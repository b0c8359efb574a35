import * as vscode from "vscode";

import { messageOf } from "../util/errors.js";
import { inform, showError } from "../questions/notify.js";
import type { Settings } from "../protocol.js";
import { SECTION, START_KEYS } from "../service/settings.js";
import type { SidecarService } from "../service/sidecarService.js";
import * as strings from "../text/strings.js";

/** Send changed settings to the sidecar; offer a restart for those that are only read at the start. */
export function followSettings(
  service: SidecarService,
  settings: () => Settings,
): vscode.Disposable {
  let current: Settings | undefined;
  const started = service.onDidChangeState(() => {
    current ??= settings();
  });
  const changed = vscode.workspace.onDidChangeConfiguration((event) => {
    if (!event.affectsConfiguration(SECTION)) {
      return;
    }
    const before = current ?? {}; // No sidecar has received any yet.
    current = settings();
    const atStart = START_KEYS.some((key) => event.affectsConfiguration(`${SECTION}.${key}`));
    if (atStart && service.state.kind === "failed") {
      service.restart().catch(() => undefined); // The state reports the failure.
      return;
    }
    if (atStart || removesAny(before, current)) {
      void offerRestart(service);
    }
    service.updateSettings(current).catch((error: unknown) => {
      void showError(strings.statusBar.with(messageOf(error)));
    });
  });
  return vscode.Disposable.from(started, changed);
}

/** Whether something is no longer set: an update adds and replaces, but does not remove. */
export function removesAny(before: object, now: object): boolean {
  return Object.entries(before).some(([key, value]: [string, unknown]) => {
    const after = (now as Record<string, unknown>)[key];
    return after === undefined || (isTable(value) && isTable(after) && removesAny(value, after));
  });
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function offerRestart(service: SidecarService): Promise<void> {
  if (service.state.kind === "idle") {
    return;
  }
  const { restart, restartToApply } = strings.sidecar;
  if ((await inform(restartToApply, restart)) === restart) {
    await vscode.commands.executeCommand("subagentSidecar.sidecar.restart");
  }
}
