import * as vscode from "vscode";

import type { AnswerParams } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import * as strings from "../text/strings.js";

const ADDRESS = /^https?:\/\//iu;

/** Answer a question. Accepting an address opens it first, in the user's browser. */
export async function reply(
  service: Pick<SubagentService, "tasks" | "request">,
  answer: AnswerParams,
): Promise<void> {
  const attention = service.tasks.get(answer.taskId)?.attention;
  const isCurrent = attention?.requestId === answer.requestId;
  const url = isCurrent && attention.kind === "question" ? attention.url : undefined;
  if (answer.action === "accept" && url !== undefined && attention?.schema === undefined) {
    if (!ADDRESS.test(url) || !(await vscode.env.openExternal(vscode.Uri.parse(url, true)))) {
      throw new Error(strings.forms.notOpened);
    }
  }
  await service.request("asyncTasks/answer", answer);
}
