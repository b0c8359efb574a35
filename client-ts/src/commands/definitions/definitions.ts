import path from "node:path";

import * as vscode from "vscode";

import { showInputBox, showQuickPick } from "../../questions/quickInput.js";
import { installedAgents } from "../../offers/installedAgents.js";
import { nameProblem, ownDefinitions, writeDefinition } from "./definitionFile.js";
import { EXAMPLE_RUNNER } from "../../exampleNames.js";
import type { RunnerInfo, SubagentsResult } from "../../protocol.js";
import type { SubagentService } from "../../service/service.js";
import { whyMissing } from "../../text/runnerWords.js";
import { showFile } from "../../util/showFile.js";
import { approve } from "./approving.js";
import { type DefinitionChoice, pickDefinition, placeOf } from "./definitionPick.js";
import { shortPath } from "../../text/places.js";
import * as strings from "../../text/strings.js";

/** What these commands act on. */
export interface DefinitionCommandsContext {
  readonly service: SubagentService;
  readonly panel: {
    focusComposer(subagentName?: string): Promise<void>;
    definitionsChanged(chosen?: string): Promise<void>;
  };
}

/** The commands on definitions, by their ids. */
export function definitionCommands(context: DefinitionCommandsContext) {
  return {
    "subagentSidecar.definition.choose": () => choose(context),
    "subagentSidecar.definition.edit": () => edit(context),
    "subagentSidecar.definition.create": () => createDefinition(context),
  };
}

async function choose(context: DefinitionCommandsContext): Promise<void> {
  const list = await context.service.request("subagents/list", {});
  const choice = await pickSubagent(context, list, strings.definitions.select);
  if (choice?.kind === "definition") {
    await context.panel.focusComposer(choice.definition.name);
  } else {
    await follow(context, choice);
  }
}

async function edit(context: DefinitionCommandsContext): Promise<void> {
  const list = await context.service.request("subagents/list", {});
  const choice = await pickDefinition(list, [], strings.definitions.selectToEdit);
  await follow(context, choice?.kind === "definition" ? placeOf(choice.definition) : choice);
}

/** Let the user choose a subagent, or an installed agent that can become one. */
export async function pickSubagent(
  { service }: Pick<DefinitionCommandsContext, "service">,
  list: SubagentsResult,
  placeholder: string,
): Promise<DefinitionChoice | undefined> {
  const agents = installedAgents(await service.request("runners/list", {}));
  return pickDefinition(list, agents, placeholder);
}

/** Carry out a choice; the caller handles the choice of a definition. */
export async function follow(
  context: DefinitionCommandsContext,
  choice: DefinitionChoice | undefined,
): Promise<void> {
  if (choice?.kind === "new") {
    await createDefinition(context);
  } else if (choice?.kind === "approve") {
    await approve(choice.definition);
  } else if (choice?.kind === "place") {
    await showFile(choice.path, choice.line);
  } else if (choice?.kind === "agent") {
    await vscode.commands.executeCommand("subagentSidecar.agent.use", choice.agent.runner);
  }
}

async function createDefinition(context: DefinitionCommandsContext): Promise<void> {
  const { items } = await context.service.request("subagents/list", {});
  const name = await askName(items.map((item) => item.name));
  const description = name === undefined ? undefined : await askDescription(name);
  const folder = description === undefined ? undefined : await pickPlace();
  const runner = folder === undefined ? undefined : await pickRunner(context.service);
  if (name === undefined || description === undefined || folder === undefined || !runner) {
    return;
  }
  const file = await writeDefinition(folder, { name, description, runner });
  await showFile(file);
  await context.panel.definitionsChanged(name);
}

function askName(taken: readonly string[]): Thenable<string | undefined> {
  return showInputBox({
    title: strings.definitions.step(1),
    prompt: strings.definitions.namePrompt,
    ignoreFocusOut: true,
    validateInput: (text) => nameProblem(text.trim(), taken),
  });
}

function askDescription(name: string): Thenable<string | undefined> {
  return showInputBox({
    title: strings.definitions.step(2, name),
    prompt: strings.definitions.descriptionPrompt,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? strings.definitions.noDescription : undefined),
  });
}

type Place = vscode.QuickPickItem & { readonly folder: string };

/** Let the user choose the folder of the new file: in a trusted workspace, or their own. */
async function pickPlace(): Promise<string | undefined> {
  const trusted = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  const own = ownDefinitions();
  const places = [
    ...trusted.map(({ name, uri }): Place => {
      const folder = path.join(uri.fsPath, ".sidecar", "agents");
      return {
        label: `$(folder) ${strings.definitions.workspace}`,
        description: name,
        detail: shortPath(folder),
        folder,
      };
    }),
    {
      label: `$(account) ${strings.definitions.user}`,
      description: strings.definitions.allWorkspaces,
      detail: shortPath(own),
      folder: own,
    },
  ];
  const { step, folderPrompt } = strings.definitions;
  const options = { title: step(3), placeHolder: folderPrompt, ignoreFocusOut: true };
  return (await showQuickPick(places, options))?.folder;
}

type RunnerItem = vscode.QuickPickItem & { readonly runner: string };

/** List the runners that are ready, then the others with what is missing. */
export function runnerItems(runners: readonly RunnerInfo[]): RunnerItem[] {
  const ready = runners.filter(({ available }) => available);
  const agents = ready.filter(({ type }) => type === "acp").map(({ name }) => name);
  return [
    { label: "auto", description: strings.definitions.autoRunner(agents[0]), runner: "auto" },
    ...ready.map(({ name, type }) => ({ label: name, description: type, runner: name })),
    ...runners.flatMap((each) => {
      const { name, type } = each;
      const why = whyMissing(each);
      const detail = why === undefined ? "" : strings.definitions.unavailable(why);
      return why === undefined
        ? []
        : [{ label: `$(warning) ${name}`, description: type, detail, runner: name }];
    }),
  ];
}

async function pickRunner(service: SubagentService): Promise<string | undefined> {
  const { items: runners } = await service.request("runners/list", {});
  const rows = runnerItems(runners.filter(({ name }) => name !== EXAMPLE_RUNNER));
  const { step, runnerPrompt } = strings.definitions;
  const options = { title: step(4), placeHolder: runnerPrompt, ignoreFocusOut: true };
  return (await showQuickPick(rows, options))?.runner;
}
