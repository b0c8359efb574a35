import type * as vscode from "vscode";

import { TOTALS_GROUPS, totalsReport } from "../reports/totals.js";
import type { SubagentService } from "../service/service.js";
import { reports } from "../text/strings.js";
import { ReportPage } from "./reportPage.js";

/** Create the page with the totals of the tasks under the filter of the history. */
export function totalsPage(
  extensionUri: vscode.Uri,
  service: Pick<SubagentService, "request">,
  filter: () => string,
): ReportPage {
  return new ReportPage(extensionUri, {
    type: "subagentSidecar.totals",
    name: reports.totals,
    commands: [],
    write: async () => {
      const query = filter();
      const groups = { groupBy: [...TOTALS_GROUPS], disk: true };
      const selected = query === "" ? groups : { ...groups, query };
      return totalsReport(await service.request("tasks/stats", selected), query);
    },
  });
}
