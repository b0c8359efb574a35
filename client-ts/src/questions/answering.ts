import { type AnswerParams, ErrorCode } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { refusalWords } from "../refusals/refusalWords.js";
import * as strings from "../text/strings.js";
import { isRefusal } from "../util/errors.js";
import { inform } from "./notify.js";
import { isWaiting } from "./questions.js";
import { reply } from "./replying.js";

/** What shows the conversation of a run. */
interface Shows {
  reveal(taskId?: string): Promise<void>;
}

/** Answer a question; if it was answered elsewhere meanwhile, say so and offer its conversation. */
export async function answerOrTell(
  service: SubagentService,
  panel: Shows,
  params: AnswerParams,
): Promise<void> {
  const { taskId, requestId } = params;
  if (!isOpen(service, taskId, requestId)) {
    await tellAnswered(panel, taskId);
    return;
  }
  try {
    await reply(service, params);
  } catch (error) {
    if (!isRefusal(error, ErrorCode.InvalidState)) {
      throw error;
    }
    await tellAnswered(panel, taskId);
  }
}

/** Return whether a run still waits for the answer to this question. */
export function isOpen(service: SubagentService, taskId: string, requestId: string): boolean {
  const task = service.tasks.get(taskId);
  return task !== undefined && isWaiting(task) && task.attention.requestId === requestId;
}

/** Say that a question is no longer open, and offer its conversation. */
export async function tellAnswered(panel: Shows, taskId: string): Promise<void> {
  const { showConversation } = strings.questions;
  if ((await inform(strings.forms.answered, showConversation)) === showConversation) {
    await panel.reveal(taskId);
  }
}

/** Explain why an answer was refused. */
export function answerRefusal(error: unknown): string {
  return isRefusal(error, ErrorCode.InvalidState) ? strings.forms.answered : refusalWords(error);
}
