import * as vscode from "vscode";

import type { Answering } from "../answers.js";
import { inform, showError } from "../notify.js";
import type { AsyncTask } from "../protocol.js";
import { isWaiting, questionLine, type Waiting } from "../questions.js";
import type { SubagentService } from "../service.js";
import { unlinked } from "../words.js";

const DETAIL_CHARS = 200;
/** A notification has no room for more buttons, *Show* among them. */
const MOST_BUTTONS = 4;
/** A longer label would be cut, and with it how far an "always" reaches. */
const LABEL_CHARS = 60;
const SHOW = "Show";

/** What the notices need of the panel. */
export interface QuestionPanel {
  readonly visible: boolean;
  reveal(taskId?: string): Promise<void>;
}

/** Tell of each question once, with its answers, while the panel is out of sight. */
export function notifyQuestions(service: SubagentService, panel: QuestionPanel): vscode.Disposable {
  const told = new Map<string, string>();
  return service.onDidChangeTask((task: AsyncTask) => {
    if (!isWaiting(task)) {
      told.delete(task.id);
    } else if (told.get(task.id) !== task.attention.requestId) {
      told.set(task.id, task.attention.requestId);
      if (!panel.visible) {
        void ask(service, panel, task);
      }
    }
  });
}

async function ask(service: SubagentService, panel: QuestionPanel, run: Waiting): Promise<void> {
  const { text, answers } = questionLine(run, DETAIL_CHARS);
  const buttons = buttonsFor(answers, unlinked(text) === text);
  const chosen = await inform(text, ...buttons.map(({ label }) => label), SHOW);
  const option = buttons.find(({ label }) => label === chosen)?.option;
  try {
    if (chosen === SHOW) {
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
  const fit = answers.filter(
    ({ label, allows }) => label.length <= LABEL_CHARS && (isExact || !allows),
  );
  const areDistinct = new Set(fit.map(({ label }) => label)).size === fit.length;
  return areDistinct && fit.length < MOST_BUTTONS ? fit : [];
}
