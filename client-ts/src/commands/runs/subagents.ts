import { EXAMPLE_SUBAGENT } from "../../exampleNames.js";
import { inform } from "../../questions/notify.js";
import type { LaunchParams } from "../../protocol.js";
import { allRuns } from "../../runs/runPages.js";
import type { Reveal } from "../../util/reveal.js";
import type { SubagentService } from "../../service/service.js";
import { isLive } from "../../text/outcome.js";
import { askGoal, pickFolder, pickRun } from "./prompts.js";
import { taskIdOf } from "../arguments.js";
import {
  type DefinitionCommandsContext,
  follow,
  pickSubagent,
} from "../definitions/definitions.js";
import type { DefinitionChoice } from "../definitions/definitionPick.js";
import { orQueue } from "./queueing.js";
import { requireTrust } from "../trust.js";
import * as strings from "../../text/strings.js";
import { unlessMoved } from "../../util/moves.js";

/** What these commands act on. */
export interface SubagentCommandsContext extends DefinitionCommandsContext {
  readonly panel: DefinitionCommandsContext["panel"] & {
    reveal(taskId?: string, how?: Reveal): Promise<void>;
  };
  /** Add the example's definition to the sidecar; returns the folder it may read. */
  readonly enableExample: () => Promise<string>;
}

/** The commands on runs, by their ids. */
export function subagentCommands(context: SubagentCommandsContext) {
  return {
    "subagentSidecar.subagent.launch": (name?: unknown) => launch(context, name),
    "subagentSidecar.subagent.cancel": (target?: unknown) => cancel(context, target),
    "subagentSidecar.subagent.open": (target?: unknown, toSide?: unknown) =>
      open(context, target, toSide === true),
    "subagentSidecar.example.run": () => runExample(context),
  };
}

async function launch(context: SubagentCommandsContext, named: unknown): Promise<void> {
  if (!(await requireTrust())) {
    return;
  }
  const choice = await chooseDefinition(context, named);
  if (choice?.kind !== "definition") {
    await follow(context, choice);
    return;
  }
  const chosen = choice.definition;
  const workspaceDir = await pickFolder();
  if (workspaceDir === undefined) {
    return;
  }
  const goalPrompt = await askGoal(chosen.name);
  if (goalPrompt !== undefined) {
    const params = { subagentName: chosen.name, goalPrompt, workspaceDir };
    await launchAndShow(context, () => Promise.resolve(params));
  }
}

/** Return the named definition, or the user's choice. */
async function chooseDefinition(
  context: SubagentCommandsContext,
  named: unknown,
): Promise<DefinitionChoice | undefined> {
  const list = await context.service.request("subagents/list", {});
  const launchable = list.items.filter((item) => item.shadowedBy === undefined);
  const known = launchable.find((item) => item.name === named);
  if (known !== undefined) {
    return { kind: "definition", definition: known };
  }
  if (launchable.length > 0) {
    return pickSubagent(context, list, strings.runs.selectToLaunch);
  }
  return offerExample(context);
}

async function offerExample(
  context: SubagentCommandsContext,
): Promise<DefinitionChoice | undefined> {
  const { none, runExample: example, create } = strings.definitions;
  const chosen = await inform(none, example, create);
  if (chosen === example) {
    await runExample(context);
  }
  return chosen === create ? { kind: "new" } : undefined;
}

async function runExample(context: SubagentCommandsContext): Promise<void> {
  if (!(await requireTrust())) {
    return;
  }
  await launchAndShow(context, async () => {
    await context.service.start(); // which may install it: the user has time to go elsewhere
    const workspaceDir = await context.enableExample();
    return { subagentName: EXAMPLE_SUBAGENT, goalPrompt: strings.runs.exampleGoal, workspaceDir };
  });
}

async function launchAndShow(
  { service, panel }: SubagentCommandsContext,
  prepare: () => Promise<LaunchParams>,
): Promise<void> {
  await unlessMoved(
    async (begin) => {
      const params = await prepare();
      return orQueue(
        (overLimit) => service.request("asyncTasks/launch", { ...params, ...overLimit }),
        begin,
      );
    },
    ({ task }, opening) => panel.reveal(task.id, opening),
  );
}

async function cancel({ service }: SubagentCommandsContext, target: unknown): Promise<void> {
  await service.start();
  const taskId = taskIdOf(target) ?? (await pickLive(service));
  if (taskId !== undefined) {
    await service.request("asyncTasks/cancel", { taskId });
  }
}

async function pickLive(service: SubagentService): Promise<string | undefined> {
  const live = [...service.tasks.values()].filter(isLive);
  if (live.length === 0) {
    void inform(strings.runs.noneRunning);
    return undefined;
  }
  return (await pickRun(live, strings.runs.selectToCancel))?.id;
}

async function open(
  { service, panel }: SubagentCommandsContext,
  target: unknown,
  toSide: boolean,
): Promise<void> {
  await service.start();
  const known = taskIdOf(target);
  if (known !== undefined) {
    await panel.reveal(known, { toSide });
    return;
  }
  const tasks = await allRuns((params) => service.request("asyncTasks/list", params));
  if (tasks.length === 0) {
    await panel.reveal();
    return;
  }
  const chosen = await pickRun(tasks, strings.runs.selectToOpen);
  if (chosen !== undefined) {
    await panel.reveal(chosen.id);
  }
}
