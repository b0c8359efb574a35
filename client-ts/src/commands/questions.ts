import * as vscode from "vscode";

import type { RememberedPermission } from "../protocol.js";
import { inOrder, kindOf, questionLine, type Waiting, waitingRuns } from "../questions.js";
import type { SubagentService } from "../service.js";
import { ago, oneLine } from "../words.js";
import { taskIdOf } from "./arguments.js";

const TITLE_CHARS = 120;

/** What these commands act on. */
export interface QuestionCommandsContext {
  readonly service: SubagentService;
  readonly panel: { reveal(taskId?: string): Promise<void> };
}

/** The commands on questions of subagents and on what was answered for good, by their ids. */
export function questionCommands(context: QuestionCommandsContext) {
  return {
    "subagentSidecar.question.answer": (target?: unknown) => answer(context, target),
    "subagentSidecar.permission.manage": () => managePermissions(context.service),
  };
}

async function answer(context: QuestionCommandsContext, target: unknown): Promise<void> {
  await context.service.start();
  const run = await chooseRun(waitingRuns(context.service), taskIdOf(target));
  if (run === undefined) {
    return;
  }
  const { requestId, options } = run.attention;
  const show = { label: "$(comment-discussion) Show the Conversation", optionId: undefined };
  const answers = inOrder(options).map((option) => {
    const [icon, means] = kindOf(option);
    const label = `$(${icon}) ${option.name}`;
    return { label, description: means, optionId: option.optionId };
  });
  const title = questionLine(run, TITLE_CHARS);
  const placeHolder = "Your answer";
  const chosen = await vscode.window.showQuickPick([...answers, show], { title, placeHolder });
  if (chosen === show) {
    await context.panel.reveal(run.id);
  } else if (chosen?.optionId !== undefined) {
    const { optionId } = chosen;
    await context.service.request("asyncTasks/answer", { taskId: run.id, requestId, optionId });
  }
}

async function chooseRun(
  waiting: readonly Waiting[],
  taskId: string | undefined,
): Promise<Waiting | undefined> {
  const named = waiting.find(({ id }) => id === taskId);
  if (named !== undefined || waiting.length === 1) {
    return named ?? waiting[0];
  }
  if (waiting.length === 0) {
    void vscode.window.showInformationMessage("No subagent waits for an answer.");
    return undefined;
  }
  const items = waiting.map((run) => ({
    label: questionLine(run, TITLE_CHARS),
    description: oneLine(run.goalPrompt, TITLE_CHARS),
    run,
  }));
  return (await vscode.window.showQuickPick(items, { placeHolder: "Which question?" }))?.run;
}

/** Show what was answered for good, and forget what the user marks. */
async function managePermissions(service: SubagentService): Promise<void> {
  const { items } = await service.request("permissions/list", {});
  if (items.length === 0) {
    const message = "Nothing is remembered: no question of a subagent was answered for good.";
    void vscode.window.showInformationMessage(message);
    return;
  }
  const chosen = await vscode.window.showQuickPick(
    items.map((item) => permissionItem(item, Date.now())),
    {
      canPickMany: true,
      title: "Remembered Permissions",
      placeHolder: "Mark what shall be forgotten, and confirm: it is asked again then",
    },
  );
  if (chosen === undefined || chosen.length === 0) {
    return;
  }
  const permissionIds = chosen.map(({ id }) => id);
  const { revoked } = await service.request("permissions/revoke", { permissionIds });
  const what = revoked.length === 1 ? "1 permission is" : `${revoked.length} permissions are`;
  void vscode.window.showInformationMessage(`${what} forgotten.`);
}

/** A decision as a row: what it allows or refuses, to whom, where, and since when. */
export function permissionItem(
  permission: RememberedPermission,
  now: number,
): vscode.QuickPickItem & { readonly id: string } {
  const { id, decision, toolKind, subject, subagentName, workspaceDir, rememberedAt } = permission;
  const what = subject === undefined ? `every ${toolKind}` : oneLine(subject, TITLE_CHARS);
  return {
    label: `$(${decision === "allow" ? "check-all" : "circle-slash"}) ${decision}: ${what}`,
    description: `${subagentName} · ${ago(rememberedAt, now)}`,
    detail: workspaceDir,
    id,
  };
}
