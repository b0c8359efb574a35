import type { FleetFeed } from "../offers/fleetFeed.js";
import { askingFleet, fleetReport } from "../reports/fleet.js";
import { QUERY_HELP } from "../reports/queryHelp.js";
import type { SubagentService } from "../service/service.js";
import { reports as titles } from "../text/strings.js";
import { Reports } from "./reports.js";

type Name = keyof typeof titles;

export type TaskReports = Reports<(typeof titles)[Name]>;

/** Create the reports that are documents. */
export function taskReports(
  service: SubagentService,
  fleet: Pick<FleetFeed, "status">,
): TaskReports {
  const reports = {
    [titles.fleet]: async () => {
      const status = await fleet.status();
      return fleetReport(status, service.tasks.values(), Date.now());
    },
    [titles.queryHelp]: () => Promise.resolve(QUERY_HELP),
  };
  return new Reports(reports, { [titles.fleet]: askingFleet() });
}
