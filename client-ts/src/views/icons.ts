import * as vscode from "vscode";

import type { AsyncTask, TaskStatus } from "../protocol.js";

const RUN_ICONS: Record<AsyncTask["status"], readonly [icon: string, color?: string]> = {
  queued: ["clock", "descriptionForeground"],
  running: ["sync~spin", "charts.blue"],
  completed: ["pass", "testing.iconPassed"],
  failed: ["error", "testing.iconFailed"],
  cancelled: ["circle-slash", "descriptionForeground"],
};

const STORED_ICONS: Record<TaskStatus, readonly [icon: string, color?: string]> = {
  active: ["circle-large-outline", "charts.blue"],
  completed: ["pass", "testing.iconPassed"],
  failed: ["error", "testing.iconFailed"],
  abandoned: ["circle-slash", "descriptionForeground"],
  unknown: ["question", "descriptionForeground"],
};

export function runIcon(task: AsyncTask): vscode.ThemeIcon {
  return task.attention === undefined
    ? themed(RUN_ICONS[task.status])
    : themed(["bell-dot", "charts.yellow"]);
}

export function storedIcon(status: TaskStatus): vscode.ThemeIcon {
  return themed(STORED_ICONS[status]);
}

function themed([icon, color]: readonly [string, string?]): vscode.ThemeIcon {
  return new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
}
