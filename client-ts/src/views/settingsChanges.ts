import * as vscode from "vscode";

import { refusalWords } from "../refusals/refusalWords.js";
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
    if (atStart) {
      void offerRestart(service);
    }
    service.updateSettings(withRemovals(before, current)).catch((error: unknown) => {
      void showError(strings.statusBar.with(refusalWords(error)));
    });
  });
  return vscode.Disposable.from(started, changed);
}

/** Return what is set now, and null for what is no longer set: the sidecar's own file decides on it. */
export function withRemovals(before: object, now: object): Record<string, unknown> {
  const changes: Record<string, unknown> = { ...now };
  for (const [key, value] of Object.entries(before) as [string, unknown][]) {
    const after = changes[key];
    if (after === undefined) {
      changes[key] = null;
    } else if (isTable(value) && isTable(after)) {
      changes[key] = withRemovals(value, after);
    }
  }
  return changes;
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
