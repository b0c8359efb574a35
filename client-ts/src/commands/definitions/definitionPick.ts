import * as vscode from "vscode";

import { whileOpen } from "../../questions/quickInput.js";
import { approvalLine, askedFacts } from "../../text/definitionWords.js";
import { isExample } from "../../exampleNames.js";
import type { InstalledAgent } from "../../offers/installedAgents.js";
import type { SubagentInfo, SubagentsResult } from "../../protocol.js";
import { missingRunners } from "../../text/runnerWords.js";
import { rowText, withoutIcons } from "../../text/words.js";
import * as strings from "../../text/strings.js";

/** What the user chose in the list of definitions; a `place` is a file to open, its line counts from 1. */
export type DefinitionChoice =
  | { readonly kind: "definition"; readonly definition: SubagentInfo }
  | { readonly kind: "approve"; readonly definition: SubagentInfo }
  | { readonly kind: "place"; readonly path: string; readonly line?: number }
  | { readonly kind: "agent"; readonly agent: InstalledAgent }
  | { readonly kind: "new" };

const ROW_CHARS = 120;
const DETAIL_CHARS = 500;

export type DefinitionItem = vscode.QuickPickItem & { readonly choice?: DefinitionChoice };

const EDIT: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("edit"),
  tooltip: strings.definitions.edit,
};

/**
 * List definitions that can be launched, the others with the reason, the installed agents that none of
 * them uses, and the command for a new one.
 */
export function definitionItems(
  { items, problems }: SubagentsResult,
  agents: readonly InstalledAgent[],
): DefinitionItem[] {
  const missing = missingRunners(items);
  const known = items.filter(({ shadowedBy }) => shadowedBy === undefined);
  const launchable = [
    ...known.filter(({ runner }) => missing[runner] === undefined),
    ...known.filter(({ runner }) => missing[runner] !== undefined),
  ];
  const warnings = [...items.flatMap(hiddenItem), ...problems.map(problemItem)];
  return [
    ...launchable.flatMap((each) => [
      launchableItem(each, missing[each.runner]),
      ...approvalItem(each),
    ]),
    ...(warnings.length === 0 ? [] : [separator(strings.definitions.problems), ...warnings]),
    ...agentItems(agents, known),
    separator(""),
    { label: `$(add) ${strings.definitions.create}`, alwaysShow: true, choice: { kind: "new" } },
  ];
}

/** Offer the agents that no definition uses by its name. */
function agentItems(
  agents: readonly InstalledAgent[],
  known: readonly SubagentInfo[],
): DefinitionItem[] {
  const { use, lacks, agents: title } = strings.installed;
  const used = new Set(known.map(({ runner }) => runner));
  const unused = agents.filter(({ runner }) => !used.has(runner));
  return unused.length === 0
    ? []
    : [
        separator(title),
        ...unused.map((agent) => ({
          label: `$(hubot) ${use(agent.title, agent.lacks !== undefined)}`,
          ...(agent.lacks === undefined ? {} : { description: lacks(agent.lacks.name) }),
          choice: { kind: "agent", agent } as const,
        })),
      ];
}

function launchableItem(definition: SubagentInfo, missing: string | undefined): DefinitionItem {
  const { name, runner, model, source } = definition;
  const { example, exampleHint, levels } = strings.definitions;
  const { level, format } = source;
  const facts = isExample(definition)
    ? [example]
    : [runner, model, levels[level] ?? level, format, ...askedFacts(definition)];
  const description = isExample(definition) ? exampleHint : definition.description;
  return {
    label: `$(${missing === undefined ? "hubot" : "warning"}) ${rowText(name, ROW_CHARS)}`,
    description: withoutIcons(facts.filter(Boolean).join(" · ")),
    detail: rowText(
      missing === undefined ? description : strings.definitions.unavailable(missing),
      DETAIL_CHARS,
    ),
    buttons: [EDIT],
    choice: { kind: "definition", definition },
  };
}

function approvalItem(definition: SubagentInfo): DefinitionItem[] {
  const line = approvalLine(definition);
  return line === undefined
    ? []
    : [
        {
          label: `$(shield) ${strings.definitions.approve}`,
          description: rowText(definition.name, ROW_CHARS),
          detail: line,
          choice: { kind: "approve", definition },
        },
      ];
}

function hiddenItem({ name, source: { path }, shadowedBy }: SubagentInfo): DefinitionItem[] {
  return shadowedBy === undefined
    ? []
    : [warningItem(name, path, strings.definitions.hiddenBy(shadowedBy), { kind: "place", path })];
}

function problemItem({ path, line, message }: SubagentsResult["problems"][number]): DefinitionItem {
  const place = line === undefined ? { path } : { path, line };
  const name = path.split(/[\\/]/u).at(-1) ?? path;
  return warningItem(`${name}${line === undefined ? "" : `:${line}`}`, path, message, {
    kind: "place",
    ...place,
  });
}

function warningItem(
  name: string,
  path: string,
  detail: string,
  choice: DefinitionChoice,
): DefinitionItem {
  return {
    label: `$(warning) ${rowText(name, ROW_CHARS)}`,
    description: withoutIcons(path),
    detail: rowText(detail, DETAIL_CHARS),
    choice,
  };
}

function separator(label: string): DefinitionItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** Let the user choose from the list of definitions; undefined if they cancel. */
export async function pickDefinition(
  list: SubagentsResult,
  agents: readonly InstalledAgent[],
  placeholder: string,
): Promise<DefinitionChoice | undefined> {
  const pick = vscode.window.createQuickPick<DefinitionItem>();
  pick.placeholder = placeholder;
  pick.matchOnDescription = pick.matchOnDetail = true;
  pick.items = definitionItems(list, agents);
  const chosen = new Promise<DefinitionChoice | undefined>((resolve) => {
    const choose = (choice: DefinitionChoice | undefined): void => {
      resolve(choice);
      pick.hide();
    };
    pick.onDidAccept(() => {
      choose(pick.selectedItems[0]?.choice);
    });
    pick.onDidTriggerItemButton(({ item: { choice } }) => {
      choose(choice?.kind === "definition" ? placeOf(choice.definition) : choice);
    });
    pick.onDidHide(() => {
      pick.dispose();
      resolve(undefined);
    });
    pick.show();
  });
  return whileOpen(chosen);
}

/** Return the file of a definition. */
export function placeOf({ source: { path } }: SubagentInfo): DefinitionChoice {
  return { kind: "place", path };
}
