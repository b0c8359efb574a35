import type * as vscode from "vscode";

import { doctorReport, linkedTasks, OPEN_TASK, taskKey } from "../reports/doctor.js";
import type { SubagentService } from "../service/service.js";
import { taskParams, type TaskRef } from "../taskRef.js";
import { doctor } from "../reports/strings.js";
import { mapConcurrent } from "../util/mapConcurrent.js";
import { ReportPage } from "./reportPage.js";

/** How many tasks are named by their titles; a page with more is a list of a damaged store. */
const MOST_TITLES = 200;
const READS = 8;

/** Create the page with the diagnosis of the task history, whose links open tasks. */
export function diagnosisPage(
  extensionUri: vscode.Uri,
  service: Pick<SubagentService, "request">,
  memory: vscode.Memento,
): ReportPage {
  const report = {
    type: "subagentSidecar.diagnosis",
    name: doctor.heading,
    commands: [OPEN_TASK],
    write: async () => {
      const result = await service.request("history/doctor", {});
      return doctorReport(result, await titlesOf(service, linkedTasks(result)));
    },
  };
  return new ReportPage(extensionUri, report, memory);
}

/** Return the titles of tasks by their keys, without those that cannot be read. */
async function titlesOf(
  service: Pick<SubagentService, "request">,
  tasks: readonly TaskRef[],
): Promise<ReadonlyMap<string, string>> {
  const read = await mapConcurrent(tasks.slice(0, MOST_TITLES), READS, async (task) => {
    const found = await service.request("tasks/get", taskParams(task));
    return [taskKey(task), found.task.title] as const;
  });
  return new Map(read.flatMap((each) => (each.status === "fulfilled" ? [each.value] : [])));
}
