import * as vscode from "vscode";

import type { SubagentInfo } from "../../protocol.js";
import { launchProblem } from "../../refusals/launchProblem.js";
import type { SubagentService } from "../../service/service.js";
import { launchOptions, SECTION } from "../../service/settings.js";
import { isLive } from "../../text/outcome.js";
import { code } from "../text/markup.js";
import { participant as words } from "../text/strings.js";
import * as answers from "./answers.js";

/** The id in the manifest. */
const PARTICIPANT = "subagentSidecar.subagents";

type Request = Pick<vscode.ChatRequest, "command" | "prompt" | "references">;
type Command = (service: SubagentService, request: Request) => Promise<answers.Answer>;

const COMMANDS: Readonly<Record<string, Command>> = { list, launch, status, cancel };

/** Answer messages to `@subagents` in the chat; no model is asked. */
export function answerChat(service: SubagentService): vscode.Disposable {
  const participant = vscode.chat.createChatParticipant(
    PARTICIPANT,
    async (request, _context, stream) => {
      const answer = await answerTo(service, request);
      stream.markdown(answer.parts.join("\n\n"));
      for (const { title, command, arguments: args = [] } of answer.buttons ?? []) {
        stream.button({ title, command, arguments: [...args] });
      }
      return {};
    },
  );
  participant.iconPath = new vscode.ThemeIcon("hubot");
  participant.followupProvider = {
    provideFollowups: () => [{ prompt: "", command: "status", label: words.followUp }],
  };
  return vscode.Disposable.from(participant);
}

/** Return the answer to a message; errors are answers. */
export async function answerTo(
  service: SubagentService,
  request: Request,
): Promise<answers.Answer> {
  const run = COMMANDS[request.command ?? ""];
  try {
    await service.start();
    if (run === undefined) {
      const { parts } = await status(service, { ...request, prompt: "" });
      return { parts: [words.help, ...parts] };
    }
    return await run(service, { ...request, prompt: request.prompt.trim() });
  } catch (error) {
    return { parts: [words.failed, code(launchProblem(error).message)] };
  }
}

async function list(service: SubagentService): Promise<answers.Answer> {
  const definitions = await definitionsOf(service);
  return answers.listAnswer([...service.tasks.values()], definitions, Date.now());
}

async function launch(
  service: SubagentService,
  { prompt, references }: Request,
): Promise<answers.Answer> {
  if (!vscode.workspace.isTrusted) {
    const manage = { title: words.manageTrust, command: "workbench.trust.manage" };
    return { parts: [words.untrusted], buttons: [manage] };
  }
  const [name = "", goal = ""] = /^(\S+)\s+([^]+)$/u.exec(prompt)?.slice(1) ?? [];
  const definitions = await definitionsOf(service);
  if (!definitions.some((definition) => definition.name === name)) {
    return answers.launchHelp(definitions);
  }
  const { task } = await service.request("asyncTasks/launch", {
    subagentName: name,
    goalPrompt: withFiles(goal, references),
    ...launchOptions(vscode.workspace.getConfiguration(SECTION)),
  });
  return answers.launchedAnswer(task);
}

function status(service: SubagentService, { prompt }: Request): Promise<answers.Answer> {
  const runs = [...service.tasks.values()];
  const fitting = prompt === "" ? [] : answers.runsNamed(runs, prompt);
  const [run] = fitting;
  const answer =
    prompt === ""
      ? answers.statusAnswer(runs, Date.now())
      : run !== undefined && fitting.length === 1
        ? answers.runAnswer(run, Date.now())
        : answers.choiceAnswer(prompt, fitting, words.statusUsage, Date.now());
  return Promise.resolve(answer);
}

async function cancel(service: SubagentService, { prompt }: Request): Promise<answers.Answer> {
  const live = [...service.tasks.values()].filter(isLive);
  const fitting = prompt === "" ? live : answers.runsNamed(live, prompt);
  const [run] = fitting;
  if (prompt === "" || run === undefined || fitting.length > 1) {
    return answers.choiceAnswer(prompt, fitting, words.cancelUsage, Date.now());
  }
  await service.request("asyncTasks/cancel", { taskId: run.id });
  return answers.cancelledAnswer(run);
}

async function definitionsOf(service: SubagentService): Promise<readonly SubagentInfo[]> {
  return (await service.request("subagents/list", {})).items;
}

/** Append the files that a message refers to. */
function withFiles(goal: string, references: readonly vscode.ChatPromptReference[]): string {
  const paths = references.flatMap(({ value }) => {
    const uri = value instanceof vscode.Location ? value.uri : value;
    return uri instanceof vscode.Uri && uri.scheme === "file" ? [uri.fsPath] : [];
  });
  return paths.length === 0 ? goal : `${goal}\n\n${words.files}\n${paths.join("\n")}`;
}
