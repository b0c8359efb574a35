import * as vscode from "vscode";

import type { Answering } from "../questions/answers.js";
import { inform } from "../questions/notify.js";
import { answerOrTell, isOpen, tellAnswered } from "../questions/answering.js";
import type { AsyncTask } from "../protocol.js";
import { isWaiting, questionLine, type Waiting } from "../questions/questions.js";
import { isSimple, promptFor } from "../questions/prompting.js";
import type { SubagentService } from "../service/service.js";
import { oneLine, unlinked } from "../text/words.js";
import * as strings from "../text/strings.js";
import type { NoticePanel, Notices } from "./notices.js";

/** A notification shortens its buttons to fit: the scope of an "always" would be cut off. */
const ROOM = { detail: 200, label: 20 };
/** How many buttons fit, *Show* among them. */
const MOST_BUTTONS = 4;

/** Notify of each question once, with its answers. */
export function notifyQuestions(
  service: SubagentService,
  panel: NoticePanel,
  notices: Notices,
): vscode.Disposable {
  const open = new Map<string, string>();
  return service.onDidChangeTask((task: AsyncTask) => {
    if (!isWaiting(task)) {
      open.delete(task.id);
    } else if (open.get(task.id) !== task.attention.requestId) {
      const { requestId } = task.attention;
      open.set(task.id, requestId);
      notices.add({
        kind: "notifyOnQuestion",
        task,
        text: textOf(task),
        isDue: () => open.get(task.id) === requestId,
        show: () => ask(service, panel, task),
      });
    }
  });
}

function textOf(run: Waiting): string {
  const { kind, title } = run.attention;
  return kind === "question"
    ? strings.forms.asks(oneLine(run.subagentName, ROOM.label * 2), oneLine(title, ROOM.detail))
    : questionLine(run, ROOM).text;
}

async function ask(service: SubagentService, panel: NoticePanel, run: Waiting): Promise<void> {
  if (run.attention.kind === "question") {
    await askQuestion(service, panel, run);
    return;
  }
  const { answers } = questionLine(run, ROOM);
  const text = textOf(run);
  const buttons = buttonsFor(answers, unlinked(text) === text);
  const chosen = await inform(text, ...labelsOf(buttons));
  const option = buttons.find(({ label }) => label === chosen)?.option;
  if (chosen === strings.common.show) {
    await panel.reveal(run.id);
  } else if (option !== undefined) {
    const { requestId } = run.attention;
    const { optionId } = option;
    await answerOrTell(service, panel, { taskId: run.id, requestId, optionId });
  }
}

/** Notify of a question; *Answer…* asks for the answer if it has one field, else shows its form. */
async function askQuestion(
  service: SubagentService,
  panel: NoticePanel,
  run: Waiting,
): Promise<void> {
  const { id: taskId, attention } = run;
  const { requestId } = attention;
  const chosen = await inform(textOf(run), strings.forms.answer, strings.common.show);
  if (chosen === strings.common.show || (chosen !== undefined && !isSimple(attention))) {
    await panel.reveal(taskId);
  } else if (chosen !== undefined && !isOpen(service, taskId, requestId)) {
    await tellAnswered(panel, taskId);
  } else if (chosen !== undefined) {
    const content = await promptFor(attention);
    if (content !== undefined) {
      await answerOrTell(service, panel, { taskId, requestId, action: "accept", content });
    }
  }
}

/** Put *Show* before buttons that only reject: the first one has the color of what is to be done. */
function labelsOf(answers: readonly Answering[]): string[] {
  const labels = answers.map(({ label }) => label);
  const { show } = strings.common;
  return answers.some(({ allows }) => allows) ? [...labels, show] : [show, ...labels];
}

/** Return the answers that fit as buttons of different labels; those that allow only if `isExact`. */
function buttonsFor(answers: readonly Answering[], isExact: boolean): Answering[] {
  const fit = answers.filter(({ allows }) => isExact || !allows);
  const areDistinct = new Set(fit.map(({ label }) => label)).size === fit.length;
  return areDistinct && fit.length < MOST_BUTTONS ? fit : [];
}
