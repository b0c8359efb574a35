import { showQuickPick } from "../../questions/quickInput.js";
import { type InstalledAgent, installedAgents } from "../../offers/installedAgents.js";
import { inform } from "../../questions/notify.js";
import type { SubagentInfo } from "../../protocol.js";
import type { SubagentService } from "../../service/service.js";
import * as strings from "../../text/strings.js";
import { requireTrust } from "../trust.js";
import { freeName, ownDefinitions, writeDefinition } from "./definitionFile.js";
import { offerAdapter } from "./installAdapter.js";

/** What this command acts on. */
export interface UseAgentContext {
  readonly service: Pick<SubagentService, "request" | "start">;
  readonly panel: {
    reveal(): Promise<void>;
    definitionsChanged(chosen?: string): Promise<void>;
    compose(subagentName: string): void;
  };
}

/** The command that makes a subagent of an installed agent, by its id. */
export function useAgentCommands(context: UseAgentContext) {
  return {
    "subagentSidecar.agent.use": (runner?: unknown) => useAgent(context, runner),
  };
}

/** Choose a subagent that uses an agent: the existing one, or a new one among the user's own. */
async function useAgent(context: UseAgentContext, runner: unknown): Promise<void> {
  const { service, panel } = context;
  await service.start();
  const agents = installedAgents(await service.request("runners/list", {}));
  if (agents.length === 0) {
    await inform(strings.installed.none);
    return;
  }
  const agent = agents.find((each) => each.runner === runner) ?? (await pick(agents, panel));
  if (agent === undefined) {
    return;
  }
  if (agent.lacks === undefined) {
    await choose(context, agent);
  } else if ((await requireTrust()) && (await offerAdapter(agent.title, agent.lacks))) {
    await useAgent(context, agent.runner);
  }
}

async function choose({ service, panel }: UseAgentContext, agent: InstalledAgent): Promise<void> {
  const { items } = await service.request("subagents/list", {});
  const existing = items.find((each) => each.runner === agent.runner && isOwn(each));
  const name = existing?.name ?? (await create(agent, new Set(items.map((each) => each.name))));
  await panel.definitionsChanged(name);
  panel.compose(name);
}

/** Whether a definition is the user's own: one of a workspace, which may allow itself anything, is not chosen for them. */
function isOwn({ source, shadowedBy }: SubagentInfo): boolean {
  return source.level === "user" && source.format === undefined && shadowedBy === undefined;
}

async function pick(
  agents: readonly InstalledAgent[],
  panel: Pick<UseAgentContext["panel"], "reveal">,
): Promise<InstalledAgent | undefined> {
  const rows = agents.map((agent) => ({
    label: agent.title,
    description:
      agent.lacks === undefined ? agent.runner : strings.installed.lacks(agent.lacks.name),
    agent,
  }));
  const row = await showQuickPick(rows, { placeHolder: strings.installed.prompt });
  if (row !== undefined) {
    await panel.reveal(); // now: later, the user may have the focus elsewhere
  }
  return row?.agent;
}

async function create(
  { runner, title }: InstalledAgent,
  taken: ReadonlySet<string>,
): Promise<string> {
  const name = freeName(runner, taken);
  const description = strings.installed.description(title);
  await writeDefinition(ownDefinitions(), { name, description, runner });
  return name;
}
