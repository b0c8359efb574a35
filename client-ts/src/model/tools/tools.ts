import * as vscode from "vscode";

import type { AsyncTask, RunnerInfo, SubagentInfo, ToolCallResult } from "../../protocol.js";
import type { SubagentService } from "../../service/service.js";
import { messageOf, SidecarUnavailableError } from "../../util/errors.js";
import { fit } from "./budget.js";
import { checkConfirmation, taskConfirmation } from "./confirmation.js";
import { cancels, checkInput, members, sends, taskInput } from "./input.js";
import { preparation } from "./preparation.js";
import { reminderBlock } from "./reminderBlock.js";
import { named } from "../text/markup.js";
import type { Reminders } from "../reminders/reminders.js";
import { confirmations, tools as words } from "../text/strings.js";

type ToolName = keyof typeof words.cutAdvice;
type Options = vscode.LanguageModelToolInvocationOptions<unknown>;

const UNKNOWN = [undefined, undefined] as const;

/** What the tools need of the rest of the extension. */
export interface ToolSurroundings {
  readonly service: SubagentService;
  readonly reminders: Reminders;
  /** Notes that the model works on a call, until the returned function is called. */
  readonly callBegins: () => () => void;
  /** Receives the id of each run that the model has launched. */
  readonly launched: (taskId: string) => void;
}

/** Offer the sidecar's three tools to the models of the editor. */
export function registerTools(surroundings: ToolSurroundings): vscode.Disposable {
  const { service } = surroundings;
  const register = (
    name: ToolName,
    prepare: (input: unknown) => Promise<vscode.PreparedToolInvocation>,
  ): vscode.Disposable =>
    vscode.lm.registerTool(name, {
      prepareInvocation: ({ input }) => {
        requireTrust();
        return prepare(input);
      },
      invoke: (options, token) => invoke(surroundings, name, options, token),
    });
  return vscode.Disposable.from(
    register("list_tasks", () => Promise.resolve(prepareList())),
    register("task", (input) => prepareTask(service, input)),
    register("check_async_tasks", (input) => prepareCheck(service, input)),
  );
}

function prepareList(): vscode.PreparedToolInvocation {
  const { listTitle: title, listMessage: note, listing } = confirmations;
  return preparation(listing, { title, quotes: [], facts: [], note });
}

async function prepareTask(
  service: SubagentService,
  input: unknown,
): Promise<vscode.PreparedToolInvocation> {
  const call = taskInput(input);
  const [definition, runner] = await findDefinition(service, call.subagent_name).catch(
    () => UNKNOWN,
  );
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const confirmation = taskConfirmation(call, definition, runner, folder);
  return preparation(confirmations.running(named(call.subagent_name)), confirmation);
}

/** Return the definition that a launch by this name uses, and the type of its runner, as far as known. */
async function findDefinition(
  service: SubagentService,
  wanted: string,
): Promise<readonly [SubagentInfo | undefined, RunnerInfo["type"] | undefined]> {
  const [subagents, runners] = await Promise.all([
    service.request("subagents/list", {}),
    service.request("runners/list", {}),
  ]);
  const definition = subagents.items.find(
    ({ name, shadowedBy }) => name === wanted && shadowedBy === undefined,
  );
  return [definition, runners.items.find(({ name }) => name === definition?.runner)?.type];
}

async function prepareCheck(
  service: SubagentService,
  input: unknown,
): Promise<vscode.PreparedToolInvocation> {
  const call = checkInput(input);
  if (!cancels(call) && !sends(call)) {
    return preparation(confirmations.checking);
  }
  const run = await findRun(service, call.task_id ?? "");
  const name = named(run?.subagentName ?? call.task_id ?? "");
  const doing = cancels(call) ? confirmations.cancelling(name) : confirmations.messaging(name);
  return preparation(doing, checkConfirmation(call, run));
}

async function findRun(service: SubagentService, taskId: string): Promise<AsyncTask | undefined> {
  if (taskId === "") {
    return undefined;
  }
  const found = await service.request("asyncTasks/get", { taskId }).catch(() => undefined);
  return found?.task;
}

/** Call a tool of the sidecar. Rejects with an error whose message tells the model what to do next. */
async function invoke(
  { service, reminders, callBegins, launched }: ToolSurroundings,
  name: ToolName,
  options: Options,
  token: vscode.CancellationToken,
): Promise<vscode.LanguageModelToolResult> {
  requireTrust();
  const ends = callBegins();
  try {
    await reminders.callBegins();
    const params = { name, arguments: { ...members(options.input) } };
    const result = await service.request("tools/call", params, token);
    const launchedId = result.metadata?.["agentId"];
    if (name === "task" && typeof launchedId === "string") {
      launched(launchedId);
    }
    return await resultOf(reminders, name, result, options, token);
  } catch (error) {
    throw token.isCancellationRequested ? new vscode.CancellationError() : explained(error);
  } finally {
    ends();
  }
}

async function resultOf(
  reminders: Reminders,
  name: ToolName,
  result: ToolCallResult,
  { tokenizationOptions: budget }: Options,
  token: vscode.CancellationToken,
): Promise<vscode.LanguageModelToolResult> {
  if (result.error !== undefined) {
    throw new Error(result.llmContent);
  }
  const count = (text: string): PromiseLike<number> =>
    Promise.resolve(budget?.countTokens(text, token) ?? 0);
  const most = budget?.tokenBudget ?? Number.POSITIVE_INFINITY;
  const note = (left: number): string => `${words.cut(left)} ${words.cutAdvice[name]}`;
  const texts = await reminders.ride(async (take) => {
    const block = await reminderBlock(take, most, count);
    const text = await fit(result.llmContent, most - (block?.size ?? 0), count, note);
    const carried = token.isCancellationRequested ? undefined : block?.reminder;
    return { result: block === undefined ? [text] : [text, block.text], carried };
  });
  return new vscode.LanguageModelToolResult(
    texts.map((text) => new vscode.LanguageModelTextPart(text)),
  );
}

/** Throw an error for the model in Restricted Mode, before the user is asked anything. */
function requireTrust(): void {
  if (!vscode.workspace.isTrusted) {
    throw new Error(words.untrusted);
  }
}

function explained(error: unknown): unknown {
  return error instanceof SidecarUnavailableError
    ? new Error(words.unavailable(messageOf(error)))
    : error;
}
