import * as vscode from "vscode";

import { showQuickPick } from "../../questions/quickInput.js";
import type { RememberedPermission } from "../../protocol.js";
import { answerOrTell } from "../../questions/answering.js";
import { inform } from "../../questions/notify.js";
import {
  askedLine,
  inFolder,
  questionLine,
  type Waiting,
  waitingRuns,
} from "../../questions/questions.js";
import { isSimple, promptFor } from "../../questions/prompting.js";
import type { SubagentService } from "../../service/service.js";
import { ago } from "../../l10n/format.js";
import { scopeWords } from "../../questions/scopeWords.js";
import { shortPath } from "../../text/places.js";
import { rowText, withoutIcons } from "../../text/words.js";
import { taskIdOf } from "../arguments.js";
import * as strings from "../../text/strings.js";

const TITLE_CHARS = 120;
/** How much the title and the rows of a quick pick show without cutting. */
const ROOM = { detail: 60, label: 75 };

/** What these commands act on. */
export interface QuestionCommandsContext {
  readonly service: SubagentService;
  readonly panel: {
    reveal(taskId?: string): Promise<void>;
    toQuestion(taskId: string, requestId: string): Promise<boolean>;
  };
}

/** The commands on questions of subagents and on remembered permissions, by their ids. */
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
  if (run.attention.kind === "question") {
    await answerQuestion(context, run);
    return;
  }
  const { text: title, answers } = questionLine(run, ROOM);
  const isWhole = answers.some(({ allows }) => allows);
  if (!isWhole && (await context.panel.toQuestion(run.id, run.attention.requestId))) {
    return; // its buttons are below the whole request
  }
  const rows = answers.map(({ option, label, icon }) => ({
    label: `$(${icon}) ${withoutIcons(label)}`,
    optionId: option.optionId,
  }));
  const show = {
    label: `$(comment-discussion) ${strings.questions.showConversation}`,
    optionId: undefined,
  };
  const items = isWhole ? [...rows, show] : [show, ...rows]; // The first one is selected.
  const placeHolder = isWhole ? strings.questions.selectAnswer : strings.questions.seeAll;
  const chosen = await showQuickPick(items, { title, placeHolder });
  if (chosen === show) {
    await context.panel.reveal(run.id);
  } else if (chosen?.optionId !== undefined) {
    const { requestId } = run.attention;
    const { optionId } = chosen;
    const { service, panel } = context;
    await answerOrTell(service, panel, { taskId: run.id, requestId, optionId });
  }
}

/** Ask for the answer to a simple question; show the conversation with the form of any other. */
async function answerQuestion(
  { service, panel }: QuestionCommandsContext,
  run: Waiting,
): Promise<void> {
  const { attention, id: taskId } = run;
  if (!isSimple(attention)) {
    if (!(await panel.toQuestion(taskId, attention.requestId))) {
      await panel.reveal(taskId);
    }
    return;
  }
  const content = await promptFor(attention);
  if (content !== undefined) {
    const { requestId } = attention;
    await answerOrTell(service, panel, { taskId, requestId, action: "accept", content });
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
    void inform(strings.questions.none);
    return undefined;
  }
  const items = waiting.map((run) => ({
    label: withoutIcons(
      `${run.subagentName}: ${askedLine(inFolder(run.attention, run.workspaceDir), TITLE_CHARS)}`,
    ),
    description: rowText(run.goalPrompt, TITLE_CHARS),
    run,
  }));
  return (await showQuickPick(items, { placeHolder: strings.questions.select }))?.run;
}

/** Show the remembered permissions, and forget those that the user selects. */
async function managePermissions(service: SubagentService): Promise<void> {
  const { items } = await service.request("permissions/list", {});
  if (items.length === 0) {
    void inform(strings.questions.noPermissions);
    return;
  }
  const chosen = await showQuickPick(
    items.map((item) => permissionItem(item, Date.now())),
    {
      canPickMany: true,
      title: strings.questions.permissions,
      placeHolder: strings.questions.selectToForget,
    },
  );
  if (chosen === undefined || chosen.length === 0) {
    return;
  }
  const permissionIds = chosen.map(({ id }) => id);
  const { revoked } = await service.request("permissions/revoke", { permissionIds });
  void inform(strings.questions.forgot(revoked.length));
}

/** Return a permission as a row: what it allows or rejects, for whom, where, and since when. */
export function permissionItem(
  permission: RememberedPermission,
  now: number,
): vscode.QuickPickItem & { readonly id: string } {
  const { id, decision, definition, toolKind, covers, subject, scope, subagentName, workspaceDir } =
    permission;
  const covered = scope === undefined ? undefined : scopeWords(scope);
  const what = rowText(covered ?? subject ?? strings.questions.every(toolKind), TITLE_CHARS);
  const isAllowed = decision === "allow";
  // An earlier version remembered more than its button named.
  const isVoid = isAllowed && covers === undefined;
  const since = ago(permission.rememberedAt, now);
  // A repository may define a subagent with the name of the user's own.
  const whose =
    definition === undefined ? subagentName : strings.questions.ofWorkspace(subagentName);
  return {
    label: `$(${isAllowed ? "check-all" : "circle-slash"}) ${strings.questions.permission(isAllowed, what)}`,
    description: [whose, since, ...(isVoid ? [strings.questions.notUsed] : [])].join(" · "),
    detail: shortPath(workspaceDir),
    id,
  };
}
