import type { FleetFeed } from "../offers/fleetFeed.js";
import { askingFleet, fleetReport } from "../reports/fleet.js";
import { QUERY_HELP } from "../reports/queryHelp.js";
import { TOTALS_GROUPS, totalsReport } from "../reports/totals.js";
import type { SubagentService } from "../service/service.js";
import { reports as titles } from "../text/strings.js";
import { Reports } from "./reports.js";

type Name = Exclude<keyof typeof titles, "diagnosis">;

export type TaskReports = Reports<(typeof titles)[Name]>;

/** Create the reports on tasks and the cluster; the totals take the filter as their argument. */
export function taskReports(
  service: SubagentService,
  fleet: Pick<FleetFeed, "status">,
): TaskReports {
  const reports = {
    [titles.totals]: async (query: string) => {
      const filter = query === "" ? {} : { query };
      const groups = { groupBy: [...TOTALS_GROUPS], disk: true };
      const stats = await service.request("tasks/stats", { ...groups, ...filter });
      return totalsReport(stats, query);
    },
    [titles.fleet]: async () => {
      const status = await fleet.status();
      return fleetReport(status, service.tasks.values(), Date.now());
    },
    [titles.queryHelp]: () => Promise.resolve(QUERY_HELP),
  };
  return new Reports(reports, { [titles.fleet]: askingFleet() });
}
