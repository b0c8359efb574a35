import * as vscode from "vscode";

import type { AsyncTask } from "../protocol.js";
import { inform, warn } from "../questions/notify.js";
import type { SubagentService } from "../service/service.js";
import { SECTION } from "../service/settings.js";
import { isLive, runStatus } from "../text/outcome.js";
import * as strings from "../text/strings.js";
import { oneLine } from "../text/words.js";
import type { NoticePanel, Notices } from "./notices.js";

const GOAL_CHARS = 80;
const KIND = "notifyOnEnd";

/**
 * Notify of each run that ends, unless the user cancelled it or `isNotified` says that there is another
 * notification.
 */
export function notifyEnds(
  service: SubagentService,
  panel: NoticePanel,
  notices: Notices,
  isNotified: (task: AsyncTask) => boolean = () => false,
): vscode.Disposable {
  const live = new Set<string>();
  return service.onDidChangeTask((task) => {
    if (isLive(task)) {
      live.add(task.id);
    } else if (live.delete(task.id) && task.endReason !== "cancelledByUser" && !isNotified(task)) {
      const text = textOf(task);
      notices.add({ kind: KIND, task, text, isDue: () => true, show: () => notify(panel, task) });
    }
  });
}

function textOf(task: AsyncTask): string {
  const goal = oneLine(task.goalPrompt, GOAL_CHARS);
  return strings.runs.ended(task.subagentName, runStatus(task), goal);
}

async function notify(panel: NoticePanel, task: AsyncTask): Promise<void> {
  const { show } = strings.common;
  const { dontShowAgain } = strings.runs;
  const tell = task.status === "failed" ? warn : inform;
  const chosen = await tell(textOf(task), show, dontShowAgain);
  if (chosen === show) {
    await panel.reveal(task.id);
  } else if (chosen === dontShowAgain) {
    const config = vscode.workspace.getConfiguration(SECTION);
    await config.update(KIND, "never", vscode.ConfigurationTarget.Global);
  }
}
