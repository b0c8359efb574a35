import type { StatsResult, Totals } from "../protocol.js";
import { totals as strings } from "./strings.js";
import { TOTALS_GROUPS } from "./totals.js";

const FIGURES = [
  "tasks",
  "tasksWithCost",
  "tasksWithTokens",
  "cost",
  "input",
  "output",
  "cacheReads",
  "cacheWrites",
  "messages",
  "sizeBytes",
  "tasksWithEstimatedCost",
  "estimatedCost",
] as const satisfies readonly (keyof Totals)[];

/** Write the totals of stored tasks as CSV, a row for each group; figures that are not recorded are empty. */
export function totalsCsv({ totals, groups }: StatsResult): string {
  const rows = TOTALS_GROUPS.flatMap((name) =>
    (groups[name] ?? []).map((group) => row(name, group.key || strings.unknown, group.totals)),
  );
  return [["group", "key", ...FIGURES], row("all", "", totals), ...rows]
    .map((cells) => `${cells.map(quoted).join(",")}\r\n`)
    .join("");
}

function row(group: string, key: string, totals: Totals): string[] {
  return [group, key, ...FIGURES.map((name) => String(totals[name] ?? ""))];
}

/** Quote a cell where CSV needs it; one that a spreadsheet would run as a formula becomes text. */
function quoted(cell: string): string {
  const text = /^[=+\-@\t\r]/u.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
