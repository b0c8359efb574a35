import { plain, table } from "../text/markdown.js";
import type { GroupKey, StatsGroup, StatsResult, Totals, TreeTotals } from "../protocol.js";
import { compact } from "../l10n/format.js";
import { byteSize, money } from "../text/words.js";
import { totals as strings, UNKNOWN } from "./strings.js";
import { common } from "../text/strings.js";

export const TOTALS_GROUPS = Object.keys(strings.groups) as (keyof typeof strings.groups &
  GroupKey)[];

const MOST_ROWS = 200;
const MOST_PARENTS = 50;
/** How wide the longest bar of a chart is, in characters. */
const BAR_CHARS = 8;
/** A longer name would push the last columns off the page. */
const KEY_CHARS = 44;

/** Write the totals of stored tasks as a document; `query` selects the tasks, "" all of them. */
export function totalsReport(stats: StatsResult, query: string): string {
  const { totals, copies, groups, parents, disk } = stats;
  const parts = [`# ${strings.heading}`, scope(totals, query)];
  const estimate = money(totals.estimatedCost);
  if (estimate !== undefined) {
    parts.push(strings.estimated(estimate, totals.tasksWithEstimatedCost ?? 0, stats.prices ?? ""));
  }
  if (copies > 0) {
    parts.push(strings.copies(copies));
  }
  parts.push(table(["", ...strings.columns], [[strings.all, ...figures(totals)]]));
  for (const key of TOTALS_GROUPS) {
    const { heading, column } = strings.groups[key];
    const known = groups[key] ?? [];
    if (known.some(({ key: name }) => (name ?? "") !== "")) {
      parts.push(`## ${heading}`, groupTable(column, known));
    }
  }
  if (parents.length > 0) {
    parts.push(`## ${strings.withSubtasks}`, parentTable(parents));
  }
  if (disk !== undefined) {
    const { taskBytes, messageBytes, archiveBytes, trashBytes } = disk;
    parts.push(
      `## ${strings.disk}`,
      table(strings.diskColumns, [
        [plain(disk.root), ...[taskBytes, messageBytes, archiveBytes, trashBytes].map(byteSize)],
      ]),
    );
  }
  return `${parts.join("\n\n")}\n`;
}

function scope({ tasks, tasksWithCost, tasksWithTokens }: Totals, query: string): string {
  const which = query === "" ? strings.allTasks(tasks) : strings.matching(plain(query), tasks);
  return `${which} ${strings.recorded(tasksWithCost, tasksWithTokens)} ${strings.unknownMeans}`;
}

function groupTable(heading: string, groups: readonly StatsGroup[]): string {
  const measure = measureOf(groups);
  const rows = groups
    .slice(0, MOST_ROWS)
    .map(({ key, totals }) => [
      breakable(plain(shortKey(key ?? ""))) || strings.unknown,
      bar(measure.of(totals), measure.most),
      ...figures(totals),
    ]);
  const head = [heading, measure.heading, ...strings.columns];
  return table(head, rows, ["---", "---", "---:"]) + andMore(groups.length - MOST_ROWS);
}

/** Let a path break after each folder, so that the table fits its page. */
function breakable(path: string): string {
  return path.replaceAll("/", "/<wbr>");
}

/** Return what the bars of groups show: their cost or, where none is recorded, their tokens. */
function measureOf(groups: readonly StatsGroup[]) {
  const hasCost = groups.some(({ totals }) => (totals.cost ?? 0) > 0);
  const of = ({ cost, tokens }: Totals): number => (hasCost ? cost : tokens) ?? 0;
  const most = Math.max(0, ...groups.map(({ totals }) => of(totals)));
  return { heading: hasCost ? strings.shareOfCost : strings.shareOfTokens, of, most };
}

/** Draw a bar in proportion to the longest; anything above 0 can be seen. */
function bar(value: number, most: number): string {
  return value <= 0 ? "" : "█".repeat(Math.max(1, Math.round((BAR_CHARS * value) / most)));
}

function parentTable(parents: readonly TreeTotals[]): string {
  const rows = parents
    .slice(0, MOST_PARENTS)
    .map(({ title, own, tree }) => [
      plain(title) || common.untitled,
      tree.tasks.toLocaleString(),
      money(own.cost) ?? UNKNOWN,
      money(tree.cost) ?? UNKNOWN,
      number(own.tokens),
      number(tree.tokens),
    ]);
  return table(strings.parentColumns, rows) + andMore(parents.length - MOST_PARENTS);
}

function andMore(left: number): string {
  return left > 0 ? `\n\n${strings.more(left)}` : "";
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
