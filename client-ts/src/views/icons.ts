import * as vscode from "vscode";

import type { AsyncTask, TaskStatus } from "../protocol.js";
import { type ShownStatus, shownStatus, STATUS_ICON, stateOf } from "../text/outcome.js";

const RUN_COLORS: Readonly<Record<ShownStatus, string>> = {
  queued: "descriptionForeground",
  running: "charts.blue",
  cancelling: "charts.blue",
  asking: "charts.yellow",
  completed: "testing.iconPassed",
  failed: "testing.iconFailed",
  cancelled: "descriptionForeground",
};

const STORED_ICONS: Record<TaskStatus, readonly [icon: string, color?: string]> = {
  active: ["circle-large-outline", "charts.blue"],
  completed: ["pass", "testing.iconPassed"],
  failed: ["error", "testing.iconFailed"],
  abandoned: ["circle-slash", "descriptionForeground"],
  unknown: ["question", "descriptionForeground"],
};

export function runIcon(task: AsyncTask): vscode.ThemeIcon {
  const status = shownStatus(stateOf(task));
  return themed([STATUS_ICON[status], RUN_COLORS[status]]);
}

export function storedIcon(status: TaskStatus): vscode.ThemeIcon {
  return themed(STORED_ICONS[status]);
}

function themed([icon, color]: readonly [string, string?]): vscode.ThemeIcon {
  return new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
}
