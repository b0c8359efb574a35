import { doctorReport, tasksInReport } from "../reports/doctor.js";
import { QUERY_HELP } from "../reports/queryHelp.js";
import { TOTALS_GROUPS, totalsReport } from "../reports/totals.js";
import type { SubagentService } from "../service/service.js";
import { Reports } from "./reports.js";

export type TaskReports = Reports<
  "Usage Totals" | "Task History Diagnosis" | "Query Language Help"
>;

/** Create the reports on stored tasks; the totals take the filter as their argument. */
export function taskReports(service: SubagentService): TaskReports {
  return new Reports({
    "Usage Totals": async (query) => {
      const filter = query === "" ? {} : { query };
      const groups = { groupBy: [...TOTALS_GROUPS], disk: true };
      const stats = await service.request("tasks/stats", { ...groups, ...filter });
      return { text: totalsReport(stats, query) };
    },
    "Task History Diagnosis": async () => {
      const result = await service.request("history/doctor", {});
      return { text: doctorReport(result), tasks: tasksInReport(result) };
    },
    "Query Language Help": () => Promise.resolve({ text: QUERY_HELP }),
  });
}
