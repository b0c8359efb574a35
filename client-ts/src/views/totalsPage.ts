import type * as vscode from "vscode";

import { EXPORT_CSV, TOTALS_GROUPS, totalsReport } from "../reports/totals.js";
import type { SubagentService } from "../service/service.js";
import { totals } from "../reports/strings.js";
import { ReportPage } from "./reportPage.js";

/** The page with the totals of the tasks under a filter. */
export interface TotalsPage {
  readonly page: ReportPage;
  /** Show the tasks under the filter that the history has now. */
  readonly show: () => Promise<void>;
  /** The filter of the page if it is in front, else that of the history. */
  readonly query: () => string;
}

/** Create the page with usage totals; `filter` returns the filter of the history. */
export function totalsPage(
  extensionUri: vscode.Uri,
  service: Pick<SubagentService, "request">,
  filter: () => string,
  memory: vscode.Memento,
): TotalsPage {
  const report = {
    type: "subagentSidecar.totals",
    name: totals.heading,
    commands: [EXPORT_CSV],
    write: async (query: string) => {
      const groups = { groupBy: [...TOTALS_GROUPS], disk: true };
      const selected = query === "" ? groups : { ...groups, query };
      return totalsReport(await service.request("tasks/stats", selected), query);
    },
  };
  const page = new ReportPage(extensionUri, report, memory);
  return {
    page,
    show: () => page.show(filter()),
    query: () => (page.isActive ? page.query : filter()),
  };
}
