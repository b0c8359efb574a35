import * as vscode from "vscode";

import type { AsyncTask, TaskStatus } from "../protocol.js";
import {
  isStopped,
  type ShownStatus,
  shownLook,
  STATUS_ICON,
  stateOf,
  type StoredLook,
  storedIcon as storedGlyph,
} from "../text/outcome.js";

const RUN_COLORS: Readonly<Record<ShownStatus, string>> = {
  queued: "descriptionForeground",
  running: "charts.blue",
  cancelling: "charts.blue",
  asking: "charts.yellow",
  completed: "charts.green",
  failed: "testing.iconFailed",
  cancelled: "descriptionForeground",
};

const STORED_COLORS: Readonly<Record<TaskStatus, string>> = {
  active: "charts.blue",
  completed: "charts.green",
  failed: "testing.iconFailed",
  abandoned: "descriptionForeground",
  unknown: "descriptionForeground",
};

export function runIcon(task: AsyncTask): vscode.ThemeIcon {
  const look = shownLook(stateOf(task));
  // The editor turns icons with `~spin` even where motion is reduced.
  return themed(STATUS_ICON[look].replace("~spin", ""), RUN_COLORS[look]);
}

export function storedIcon(task: StoredLook): vscode.ThemeIcon {
  const color = isStopped(task.outcome) ? RUN_COLORS.cancelled : STORED_COLORS[task.status];
  return themed(storedGlyph(task), color);
}

function themed(icon: string, color: string): vscode.ThemeIcon {
  return new vscode.ThemeIcon(icon, new vscode.ThemeColor(color));
}
