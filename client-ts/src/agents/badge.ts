import * as vscode from "vscode";

import { waitingRuns } from "../questions/questions.js";
import type { SubagentService } from "../service/service.js";
import { isLive } from "../text/outcome.js";
import * as strings from "../text/strings.js";
import type { AgentsView } from "./agentsView.js";

/** Count on the view's icon the runs that ended unseen and those that wait for an answer. */
export function showBadge(service: SubagentService, agents: AgentsView): vscode.Disposable {
  const unseen = new Set<string>();
  const live = new Set<string>();
  const update = (): void => {
    if (agents.visible) {
      unseen.clear();
    }
    if (agents.view !== undefined) {
      agents.view.badge = badgeFor(unseen.size, waitingRuns(service).length);
    }
  };
  return vscode.Disposable.from(
    agents.onDidShow(update),
    service.onDidChangeTask((task) => {
      if (isLive(task)) {
        live.add(task.id);
      } else if (live.delete(task.id)) {
        unseen.add(task.id);
      }
      update();
    }),
    service.onDidRemoveTasks((ids) => {
      for (const id of ids) {
        unseen.delete(id);
      }
      update();
    }),
  );
}

function badgeFor(ended: number, waiting: number): vscode.ViewBadge | undefined {
  const value = ended + waiting;
  return value === 0 ? undefined : { value, tooltip: strings.runs.badge(ended, waiting) };
}
