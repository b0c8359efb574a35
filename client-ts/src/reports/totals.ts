import { plain, table } from "../text/markdown.js";
import type { GroupKey, StatsGroup, StatsResult, Totals, TreeTotals } from "../protocol.js";
import { compact, counted } from "../l10n/format.js";
import { byteSize, money } from "../text/words.js";
import * as strings from "../text/strings.js";

/** What the report groups by, and the heading of each. */
const GROUPS = {
  workspace: "Workspace",
  mode: "Mode",
  product: "Product",
  model: "Model",
  day: "Day",
} as const satisfies Partial<Record<GroupKey, string>>;

export const TOTALS_GROUPS = Object.keys(GROUPS) as (keyof typeof GROUPS)[];

const MOST_ROWS = 200;
const MOST_PARENTS = 50;
/** How wide the longest bar of a chart is, in characters. */
const BAR_CHARS = 12;
/** A longer name would push the last columns off the page. */
const KEY_CHARS = 44;
const UNKNOWN = "–";
const COLUMNS = ["Tasks", "Cost", "Tokens in", "Tokens out", "Cache reads", "Cache writes", "Size"];

/** Write the totals of stored tasks as a document; `query` selects the tasks, "" all of them. */
export function totalsReport(stats: StatsResult, query: string): string {
  const { totals, copies, groups, parents, disk } = stats;
  const parts = ["# Usage Totals", scope(totals, query)];
  if (copies > 0) {
    const other = copies === 1 ? "1 copy" : `${copies.toLocaleString()} copies`;
    parts.push(
      `${other} of these tasks in other roots ${copies === 1 ? "is" : "are"} not counted again.`,
    );
  }
  parts.push(table(["", ...COLUMNS], [["All", ...figures(totals)]]));
  for (const key of TOTALS_GROUPS) {
    parts.push(`## By ${key}`, groupTable(GROUPS[key], groups[key] ?? []));
  }
  if (parents.length > 0) {
    parts.push("## Tasks with subtasks", parentTable(parents));
  }
  if (disk !== undefined) {
    const { taskBytes, messageBytes, archiveBytes, trashBytes } = disk;
    parts.push(
      "## Disk use of this extension's tasks",
      table(
        ["Root", "Tasks", "Messages (included in tasks)", "Archive", "Trash"],
        [[plain(disk.root), ...[taskBytes, messageBytes, archiveBytes, trashBytes].map(byteSize)]],
      ),
    );
  }
  return `${parts.join("\n\n")}\n`;
}

function scope({ tasks, tasksWithCost, tasksWithTokens }: Totals, query: string): string {
  const which = query === "" ? "All stored tasks" : `Tasks that match the filter ${plain(query)}`;
  const known = `Cost recorded for ${counted(tasksWithCost, "task")}, tokens for ${counted(tasksWithTokens, "task")}.`;
  return `${which}: ${counted(tasks, "task")}. ${known} “${UNKNOWN}” means not recorded.`;
}

function groupTable(heading: string, groups: readonly StatsGroup[]): string {
  const measure = measureOf(groups);
  const rows = groups
    .slice(0, MOST_ROWS)
    .map(({ key, totals }) => [
      key === undefined ? "unknown" : plain(shortKey(key)) || "unknown",
      bar(measure.of(totals), measure.most),
      ...figures(totals),
    ]);
  const head = [heading, measure.heading, ...COLUMNS];
  return table(head, rows, ["---", "---", "---:"]) + andMore(groups.length - MOST_ROWS);
}

/** Return what the bars of groups show: their cost or, where none is recorded, their tokens. */
function measureOf(groups: readonly StatsGroup[]) {
  const hasCost = groups.some(({ totals }) => (totals.cost ?? 0) > 0);
  const of = ({ cost, tokens }: Totals): number => (hasCost ? cost : tokens) ?? 0;
  const most = Math.max(0, ...groups.map(({ totals }) => of(totals)));
  return { heading: hasCost ? "Share of cost" : "Share of tokens", of, most };
}

/** Draw a bar in proportion to the longest; anything above 0 can be seen. */
function bar(value: number, most: number): string {
  return value <= 0 ? "" : "█".repeat(Math.max(1, Math.round((BAR_CHARS * value) / most)));
}

function parentTable(parents: readonly TreeTotals[]): string {
  const rows = parents
    .slice(0, MOST_PARENTS)
    .map(({ title, own, tree }) => [
      plain(title) || strings.common.untitled,
      tree.tasks.toLocaleString(),
      money(own.cost) ?? UNKNOWN,
      money(tree.cost) ?? UNKNOWN,
      number(own.tokens),
      number(tree.tokens),
    ]);
  const head = ["Task", "Tasks in all", "Cost", "Cost in all", "Tokens", "Tokens in all"];
  return table(head, rows) + andMore(parents.length - MOST_PARENTS);
}

function andMore(left: number): string {
  return left > 0
    ? `\n\n… and ${left.toLocaleString()} more. Filter the task history to narrow the totals.`
    : "";
}

function figures(totals: Totals): string[] {
  const { tasks, cost, input, output, cacheReads, cacheWrites, sizeBytes } = totals;
  return [
    tasks.toLocaleString(),
    money(cost) ?? UNKNOWN,
    ...[input, output, cacheReads, cacheWrites].map(number),
    byteSize(sizeBytes),
  ];
}

/** Format tokens briefly, since each count takes a column: `1.2M`. */
function number(value: number | null | undefined): string {
  return value == null ? UNKNOWN : compact(value);
}

/** Keep the end of a long path, which distinguishes folders. */
function shortKey(key: string): string {
  return key.length <= KEY_CHARS ? key : `…${key.slice(1 - KEY_CHARS)}`;
}
