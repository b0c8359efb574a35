import * as vscode from "vscode";

import type { AsyncTask } from "../protocol.js";
import { inform, showError } from "../questions/notify.js";
import type { SubagentService } from "../service/service.js";
import { SECTION } from "../service/settings.js";
import { isLive, runStatus } from "../text/outcome.js";
import * as strings from "../text/strings.js";
import { oneLine } from "../text/words.js";
import { isOfOtherWindow } from "../windows/owner.js";
import type { NoticePanel } from "./questionNotices.js";

const GOAL_CHARS = 80;

/**
 * Notify of each run that ends while the panel is hidden, unless the user cancelled it, another workspace
 * has it, or `isNotified` says that there is another notification.
 */
export function notifyEnds(
  service: SubagentService,
  panel: NoticePanel,
  isNotified: (task: AsyncTask) => boolean = () => false,
): vscode.Disposable {
  const live = new Set<string>();
  return service.onDidChangeTask((task) => {
    if (isLive(task)) {
      live.add(task.id);
    } else if (live.delete(task.id) && !panel.visible && isWanted(task) && !isNotified(task)) {
      void notify(panel, task);
    }
  });
}

function isWanted(task: AsyncTask): boolean {
  const mode = vscode.workspace.getConfiguration(SECTION).get<string>("notifyOnEnd", "hidden");
  return mode === "hidden" && task.endReason !== "cancelledByUser" && !isOfOtherWindow(task);
}

async function notify(panel: NoticePanel, task: AsyncTask): Promise<void> {
  const { show } = strings.common;
  const { ended, dontShowAgain } = strings.runs;
  const goal = oneLine(task.goalPrompt, GOAL_CHARS);
  const chosen = await inform(ended(task.subagentName, runStatus(task), goal), show, dontShowAgain);
  try {
    if (chosen === show) {
      await panel.reveal(task.id);
    } else if (chosen === dontShowAgain) {
      const config = vscode.workspace.getConfiguration(SECTION);
      await config.update("notifyOnEnd", "never", vscode.ConfigurationTarget.Global);
    }
  } catch (error) {
    await showError(error);
  }
}
