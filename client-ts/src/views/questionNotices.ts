import * as vscode from "vscode";

import { messageOf } from "../errors.js";
import type { AsyncTask } from "../protocol.js";
import { inOrder, isWaiting, questionLine, type Waiting } from "../questions.js";
import type { SubagentService } from "../service.js";
import { unlinked } from "../words.js";

const TITLE_CHARS = 200;
/** A notification has no room for more buttons, *Show* among them. */
const MOST_BUTTONS = 4;

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
  const { requestId, options } = run.attention;
  const show = "Show";
  // With more answers than fit, or two of one name, a button would hide or confuse them.
  const names = inOrder(options).map(({ name }) => name);
  const fit = names.length < MOST_BUTTONS && new Set([...names, show]).size === names.length + 1;
  const buttons = [...(fit ? names : []), show];
  const chosen = await vscode.window.showInformationMessage(
    unlinked(questionLine(run, TITLE_CHARS)),
    ...buttons,
  );
  const option = options.find(({ name }) => name === chosen);
  try {
    if (chosen === show) {
      await panel.reveal(run.id);
    } else if (option !== undefined) {
      const { optionId } = option;
      await service.request("asyncTasks/answer", { taskId: run.id, requestId, optionId });
    }
  } catch (error) {
    void vscode.window.showErrorMessage(messageOf(error));
  }
}
