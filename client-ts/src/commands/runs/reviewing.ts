import { inform } from "../../questions/notify.js";
import { allRuns } from "../../runs/runPages.js";
import type { SubagentService } from "../../service/service.js";
import * as strings from "../../text/strings.js";
import { taskIdOf } from "../arguments.js";
import { pickRun } from "./prompts.js";

/** What these commands act on. */
export interface ReviewingContext {
  readonly service: SubagentService;
  /** What knows the run whose conversation is in front. */
  readonly panel: { readonly taskId: string | undefined };
  readonly diffs: { openAll(taskId: string): Promise<void> };
}

/** The commands on the changes of runs, by their ids. */
export function reviewingCommands(context: ReviewingContext) {
  return {
    "subagentSidecar.subagent.review": (target?: unknown) => review(context, target),
  };
}

/** Show the changes of a run, even while it works: the named one, the one in front, or the user's choice. */
async function review(context: ReviewingContext, target: unknown): Promise<void> {
  const { service, panel, diffs } = context;
  await service.start();
  const taskId = taskIdOf(target) ?? panel.taskId ?? (await pickChanged(service));
  if (taskId !== undefined) {
    await diffs.openAll(taskId);
  }
}

async function pickChanged(service: SubagentService): Promise<string | undefined> {
  const runs = await allRuns((params) => service.request("asyncTasks/list", params));
  const changed = runs.filter(({ changes }) => changes !== undefined);
  if (changed.length === 0) {
    await inform(strings.runs.noneChanged);
    return undefined;
  }
  return (await pickRun(changed, strings.runs.selectToReview))?.id;
}
