import * as vscode from "vscode";

import { isAnswering } from "../client/state.js";
import type { SubagentService } from "../service/service.js";
import * as strings from "../text/strings.js";
import { coalesced } from "../util/coalesce.js";

/** What shows how many windows share the subagents. */
export interface WindowCount extends vscode.Disposable {
  /** Ask the sidecar again. */
  refresh(): Promise<void>;
}

/** Return how many windows use the same subagents; 1 if that is unknown. */
export async function countWindows(service: SubagentService): Promise<number> {
  if (!isAnswering(service.state)) {
    return 1;
  }
  try {
    return Math.max(1, (await service.request("health", {})).clients);
  } catch {
    return 1; // The sidecar is being restarted.
  }
}

/** Show in the status bar how many windows share the subagents, if there is more than one. */
export function showWindowCount(service: SubagentService): WindowCount {
  const item = vscode.window.createStatusBarItem("windows", vscode.StatusBarAlignment.Left);
  item.name = strings.windows.statusName;
  item.command = "subagentSidecar.chat.focus";
  const refresh = coalesced(async (): Promise<void> => {
    const count = await countWindows(service);
    item.text = `$(multiple-windows) ${count}`;
    item.tooltip = strings.windows.shared(count);
    item.accessibilityInformation = { label: item.tooltip, role: "button" };
    if (count > 1) {
      item.show();
    } else {
      item.hide();
    }
  });
  const update = (): void => {
    void refresh();
  };
  const parts = vscode.Disposable.from(
    item,
    service.onDidChangeState(update),
    service.onDidChangeSettings(update),
    vscode.window.onDidChangeWindowState(update),
  );
  return Object.assign(parts, { refresh });
}
