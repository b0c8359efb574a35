import * as vscode from "vscode";

import type { AsyncTask } from "../../protocol.js";
import type { SubagentService } from "../../service/service.js";
import { launchOptions, SECTION } from "../../service/settings.js";
import { isLive } from "../../text/outcome.js";
import { isOfOtherWindow } from "../../windows/owner.js";
import type { Reminders } from "../reminders/reminders.js";
import { tools as words } from "../text/strings.js";
import type { SubagentLaunch, SubagentReminder, SubagentRun, SubagentSidecarApi } from "./types.js";

/** Create the API for other extensions; `launched` receives the id of each run launched through it. */
export function createApi(
  service: SubagentService,
  reminders: Pick<Reminders, "pending" | "acknowledge">,
  launched: (taskId: string) => void,
): SubagentSidecarApi {
  return {
    version: 1,
    remindersBeforeTurn: () => remindersBeforeTurn(reminders),
    onDidEndRun: (listener) => onDidEndRun(service, listener),
    listRuns: async () => {
      await service.start();
      return [...service.tasks.values()].map(runOf);
    },
    launch: async (options) => {
      const run = await launch(service, options);
      launched(run.id);
      return run;
    },
    cancel: async (taskId) => (await service.request("asyncTasks/cancel", { taskId })).cancelled,
  };
}

async function remindersBeforeTurn(
  reminders: Pick<Reminders, "pending" | "acknowledge">,
): Promise<SubagentReminder | undefined> {
  const reminder = await reminders.pending();
  return reminder === undefined
    ? undefined
    : {
        text: `${words.reminder}\n\n${reminder.text}`,
        runIds: reminder.taskIds,
        acknowledge: () => reminders.acknowledge(reminder),
      };
}

function onDidEndRun(
  service: SubagentService,
  listener: (run: SubagentRun) => void,
): vscode.Disposable {
  const live = new Set([...service.tasks.values()].filter(isLive).map(({ id }) => id));
  return service.onDidChangeTask((task) => {
    if (isLive(task)) {
      live.add(task.id);
    } else if (live.delete(task.id) && !isOfOtherWindow(task)) {
      listener(runOf(task));
    }
  });
}

async function launch(service: SubagentService, options: SubagentLaunch): Promise<SubagentRun> {
  const { subagent, goal, folder, remindsModel = false } = options;
  const { task } = await service.request("asyncTasks/launch", {
    subagentName: subagent,
    goalPrompt: goal,
    notifyModel: remindsModel,
    ...(folder === undefined ? {} : { workspaceDir: folder }),
    ...launchOptions(vscode.workspace.getConfiguration(SECTION)),
  });
  return runOf(task);
}

function runOf(task: AsyncTask): SubagentRun {
  const { launchedAt, completedAt, error } = task;
  const result = task.output?.final_message;
  return {
    id: task.id,
    subagent: task.subagentName,
    goal: task.goalPrompt,
    status: task.status,
    ...(launchedAt === undefined ? {} : { launchedAt }),
    ...(completedAt === undefined ? {} : { endedAt: completedAt }),
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  };
}
