import * as vscode from "vscode";

import type { Answering } from "../questions/answers.js";
import { inform, showError } from "../questions/notify.js";
import type { AsyncTask } from "../protocol.js";
import { isWaiting, questionLine, type Waiting } from "../questions/questions.js";
import type { SubagentService } from "../service/service.js";
import { unlinked } from "../text/words.js";
import { isOfOtherWindow } from "../windows/owner.js";
import * as strings from "../text/strings.js";

/** A notification shortens its buttons to fit: the scope of an "always" would be cut off. */
const ROOM = { detail: 200, label: 20 };
/** How many buttons fit, *Show* among them. */
const MOST_BUTTONS = 4;

/** What notifications need of the panel. */
export interface NoticePanel {
  readonly visible: boolean;
  reveal(taskId?: string): Promise<void>;
}

/** Show a notification for each question once, with its answers, while the panel is hidden. */
export function notifyQuestions(service: SubagentService, panel: NoticePanel): vscode.Disposable {
  const notified = new Map<string, string>();
  return service.onDidChangeTask((task: AsyncTask) => {
    if (!isWaiting(task)) {
      notified.delete(task.id);
    } else if (notified.get(task.id) !== task.attention.requestId) {
      notified.set(task.id, task.attention.requestId);
      if (!panel.visible && !isOfOtherWindow(task)) {
        void ask(service, panel, task);
      }
    }
  });
}

async function ask(service: SubagentService, panel: NoticePanel, run: Waiting): Promise<void> {
  const { text, answers } = questionLine(run, ROOM);
  const buttons = buttonsFor(answers, unlinked(text) === text);
  const chosen = await inform(text, ...buttons.map(({ label }) => label), strings.common.show);
  const option = buttons.find(({ label }) => label === chosen)?.option;
  try {
    if (chosen === strings.common.show) {
      await panel.reveal(run.id);
    } else if (option !== undefined) {
      const { requestId } = run.attention;
      const { optionId } = option;
      await service.request("asyncTasks/answer", { taskId: run.id, requestId, optionId });
    }
  } catch (error) {
    await showError(error);
  }
}

/** Return the answers that fit as buttons of different labels; those that allow only if `isExact`. */
function buttonsFor(answers: readonly Answering[], isExact: boolean): Answering[] {
  const fit = answers.filter(({ allows }) => isExact || !allows);
  const areDistinct = new Set(fit.map(({ label }) => label)).size === fit.length;
  return areDistinct && fit.length < MOST_BUTTONS ? fit : [];
}
