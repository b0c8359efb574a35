import { showQuickPick } from "../../questions/quickInput.js";
import { inform } from "../../questions/notify.js";
import type { AsyncTask, CancelAllParams } from "../../protocol.js";
import type { SubagentService } from "../../service/service.js";
import { isLive } from "../../text/outcome.js";
import * as strings from "../../text/strings.js";
import { isOfOtherWindow } from "../../windows/owner.js";
import { taskIdOf } from "../arguments.js";
import { pickRun } from "./prompts.js";
import { requireTrust } from "../trust.js";

/** The commands on several runs and on the queue, by their ids. */
export function stoppingCommands({ service }: { readonly service: SubagentService }) {
  return {
    "subagentSidecar.subagent.stopAll": () => stopAll(service),
    "subagentSidecar.subagent.startNow": (target?: unknown) => startNow(service, target),
  };
}

/** Cancel the runs of this workspace or of all windows, as the user chooses. */
async function stopAll(service: SubagentService): Promise<void> {
  await service.start();
  const live = [...service.tasks.values()].filter(isLive);
  if (live.length === 0) {
    void inform(strings.runs.noneRunning);
    return;
  }
  const scope = await pickScope(live);
  if (scope !== undefined) {
    const { cancelled } = await service.request("asyncTasks/cancelAll", { scope });
    void inform(strings.runs.cancelled(cancelled));
  }
}

async function pickScope(live: readonly AsyncTask[]): Promise<CancelAllParams["scope"]> {
  const own = live.filter((task) => !isOfOtherWindow(task)).length;
  const { cancelTitle, cancelOwn, cancelEvery } = strings.runs;
  const items = [
    ...(own === 0 ? [] : [{ label: cancelOwn(own), scope: "own" as const }]),
    { label: cancelEvery(live.length), scope: "all" as const },
  ];
  return (await showQuickPick(items, { placeHolder: cancelTitle }))?.scope;
}

/** Start a queued run over the limit. */
async function startNow(service: SubagentService, target: unknown): Promise<void> {
  if (!(await requireTrust())) {
    return;
  }
  await service.start();
  const taskId = taskIdOf(target) ?? (await pickQueued(service));
  if (taskId !== undefined) {
    await service.request("asyncTasks/startNow", { taskId });
  }
}

async function pickQueued(service: SubagentService): Promise<string | undefined> {
  const queued = [...service.tasks.values()].filter(({ status }) => status === "queued");
  if (queued.length === 0) {
    void inform(strings.runs.noneQueued);
    return undefined;
  }
  return (await pickRun(queued, strings.runs.selectToStart))?.id;
}
