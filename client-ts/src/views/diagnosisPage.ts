import type * as vscode from "vscode";

import { doctorReport, OPEN_TASK } from "../reports/doctor.js";
import type { SubagentService } from "../service/service.js";
import { reports } from "../text/strings.js";
import { ReportPage } from "./reportPage.js";

/** Create the page with the diagnosis of the task history, whose links open tasks. */
export function diagnosisPage(
  extensionUri: vscode.Uri,
  service: Pick<SubagentService, "request">,
  memory: vscode.Memento,
): ReportPage {
  const report = {
    type: "subagentSidecar.diagnosis",
    name: reports.diagnosis,
    commands: [OPEN_TASK],
    write: async () => doctorReport(await service.request("history/doctor", {})),
  };
  return new ReportPage(extensionUri, report, memory);
}
