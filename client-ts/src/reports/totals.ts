import { commandLink, escaped, foreign, prose } from "../text/html.js";
import type { GroupKey, StatsGroup, StatsResult, Totals, TreeTotals } from "../protocol.js";
import { compact, exact } from "../l10n/format.js";
import { byteSize, money } from "../text/words.js";
import { totals as strings, UNKNOWN } from "./strings.js";
import { shortPath } from "../text/places.js";
import { common } from "../text/strings.js";
import { bar, type ChartDay, dayChart, firstShown, newest } from "./charts.js";

export const TOTALS_GROUPS = Object.keys(strings.groups) as (keyof typeof strings.groups &
  GroupKey)[];

/** The command behind the link to all rows. */
export const EXPORT_CSV = "subagentSidecar.history.totalsCsv";

/** The order of the groups on the page: first what changes from day to day. */
const ORDER = ["day", "product", "workspace", "model", "mode"] as const satisfies GroupKey[];

const MOST_ROWS = 200;
const MOST_PARENTS = 50;
const KEY_CHARS = 200;
const LINE_CHARS = 2_000;
/** The largest value of a chart, of which many can be added up. */
const MOST = 1e300;

/** Write the totals of stored tasks as the HTML of a page; `query` selects the tasks, "" all of them. */
export function totalsReport(stats: StatsResult, query: string): string {
  const { totals, copies, groups, parents, disk } = stats;
  const parts = [`<h1>${prose(strings.heading)}</h1>`, `<p>${scope(totals, query)}</p>`];
  const estimate = money(totals.estimatedCost);
  if (estimate !== undefined) {
    const tasks = totals.tasksWithEstimatedCost ?? 0;
    parts.push(paragraph(strings.estimated(estimate, tasks, stats.prices ?? "")));
  }
  if (copies > 0) {
    parts.push(paragraph(strings.copies(copies)));
  }
  parts.push(
    table(strings.heading, ["", ...strings.columns], [[prose(strings.all), ...figures(totals)]], 1),
  );
  for (const key of ORDER) {
    const known = groups[key] ?? [];
    if (known.some(({ key: name }) => (name ?? "") !== "")) {
      parts.push(...groupParts(key, known));
    }
  }
  if (parents.length > 0) {
    parts.push(heading(strings.withSubtasks), ...parentParts(parents));
  }
  if (disk !== undefined) {
    const { taskBytes, messageBytes, archiveBytes, trashBytes } = disk;
    const sizes = [taskBytes, messageBytes, archiveBytes, trashBytes].map(byteSize);
    const row = [foreign(shortPath(disk.root), LINE_CHARS), ...sizes];
    parts.push(heading(strings.disk), table(strings.disk, strings.diskColumns, [row], 1));
  }
  return parts.join("\n");
}

function scope({ tasks, tasksWithCost, tasksWithTokens }: Totals, query: string): string {
  const filter = `<code>${foreign(query, LINE_CHARS)}</code>`;
  const which = query === "" ? prose(strings.allTasks(tasks)) : strings.matching(filter, tasks);
  return `${which} ${prose(strings.recorded(tasksWithCost, tasksWithTokens))} ${prose(strings.unknownMeans)}`;
}

function groupParts(key: (typeof ORDER)[number], groups: readonly StatsGroup[]): string[] {
  const { heading: title, column } = strings.groups[key];
  const measure = measureOf(groups);
  const rows = groups.slice(0, MOST_ROWS).map(({ key: name, totals }) => {
    const value = measure.of(totals);
    const known = foreign(key === "workspace" ? shortPath(name ?? "") : (name ?? ""), KEY_CHARS);
    const label = (name ?? "") === "" ? prose(strings.unknown) : breakable(known);
    return [label, shareOf(value / measure.sum), ...figures(totals)];
  });
  const head = [column, measure.heading, ...strings.columns];
  const chart = key === "day" ? chartOf(groups, measure) : "";
  return [heading(title), chart, table(title, head, rows, 2), cutNote(groups.length)];
}

/** Draw a share of all as a bar, and write it; "" for none. */
function shareOf(share: number): string {
  return share > 0 ? `${bar(share)} <span>${escaped(strings.percent(100 * share))}</span>` : "";
}

function chartOf(groups: readonly StatsGroup[], measure: Measure): string {
  const all = groups.flatMap(({ key: date = "", totals }) => {
    const value = measure.of(totals);
    return date === "" ? [] : [{ date, value, words: `${date}: ${measure.words(value)}` }];
  });
  const days = newest(all);
  const [first, last] = [days[0], days.at(-1)];
  const top = days.reduce((most, day) => (day.value > most.value ? day : most), first ?? NO_DAY);
  const label = strings.dayChart(measure.name, first?.date ?? "", last?.date ?? "", top.words);
  const svg = dayChart(days, label);
  const scale = strings.scale(measure.name, measure.words(top.value));
  const ends = [firstShown(days), scale, last?.date ?? ""]
    .map((text) => `<span>${escaped(text)}</span>`)
    .join("");
  const left = all.length - days.length;
  const note = left > 0 ? paragraph(strings.notDrawn(left)) : "";
  return svg === "" ? "" : `<figure>${svg}<figcaption>${ends}</figcaption></figure>${note}`;
}

const NO_DAY: ChartDay = { date: "", value: 0, words: "" };

/** Let a path break after each folder, so that the table fits its page. */
function breakable(path: string): string {
  return path.replaceAll(/(?<!<)\//gu, "/<wbr>");
}

type Measure = ReturnType<typeof measureOf>;

/** Return what the charts of groups show: their cost or, where none is recorded, their tokens. */
function measureOf(groups: readonly StatsGroup[]) {
  const hasCost = groups.some(({ totals }) => (totals.cost ?? 0) > 0);
  const of = ({ cost, tokens }: Totals): number => {
    const value = (hasCost ? cost : tokens) ?? 0;
    return value > 0 ? Math.min(value, MOST) : 0; // a damaged store may say anything
  };
  return {
    of,
    sum: groups.reduce((sum, { totals }) => sum + of(totals), 0),
    heading: hasCost ? strings.shareOfCost : strings.shareOfTokens,
    name: hasCost ? strings.costPerDay : strings.tokensPerDay,
    words: (value: number) => (hasCost ? (money(value) ?? UNKNOWN) : strings.tokens(number(value))),
  };
}

function parentParts(parents: readonly TreeTotals[]): string[] {
  const rows = parents
    .slice(0, MOST_PARENTS)
    .map(({ title, own, tree }) => [
      title === "" ? prose(common.untitled) : foreign(title, KEY_CHARS),
      ...[
        exact(tree.tasks),
        money(own.cost) ?? UNKNOWN,
        money(tree.cost) ?? UNKNOWN,
        number(own.tokens),
        number(tree.tokens),
      ].map(escaped),
    ]);
  return [
    table(strings.withSubtasks, strings.parentColumns, rows, 1),
    parents.length > MOST_PARENTS ? paragraph(strings.cutTrees(MOST_PARENTS, parents.length)) : "",
  ];
}

function heading(text: string): string {
  return `<h2>${prose(text)}</h2>`;
}

function paragraph(text: string): string {
  return `<p>${prose(text)}</p>`;
}

/** Say that a table has the first rows of all, and offer the file with all of them. */
function cutNote(all: number): string {
  if (all <= MOST_ROWS) {
    return "";
  }
  const link = commandLink(EXPORT_CSV, null, prose(strings.exportAll));
  return `<p>${prose(strings.cut(MOST_ROWS, all))} ${link}</p>`;
}

/** Write a table of HTML cells, which scrolls if it is too wide; numbers follow its first `words` columns. */
function table(
  label: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  words: number,
): string {
  const kind = (column: number) => (column < words ? "" : ' class="number"');
  const titles = head.map((title, column) =>
    title === "" ? "<td></td>" : `<th scope="col"${kind(column)}>${prose(title)}</th>`,
  );
  const lines = rows.map(([first = "", ...others]) => {
    const cells = others.map((cell, at) => `<td${kind(at + 1)}>${cell}</td>`);
    return `<tr><th scope="row">${first}</th>${cells.join("")}</tr>`;
  });
  const body = `<tbody>\n${lines.join("\n")}\n</tbody>`;
  const region = `<div class="wide" role="region" aria-label="${escaped(label)}" tabindex="0">`;
  return `${region}<table><thead><tr>${titles.join("")}</tr></thead>${body}</table></div>`;
}

function figures(totals: Totals): string[] {
  const { tasks, cost, input, output, cacheReads, cacheWrites, sizeBytes } = totals;
  return [
    exact(tasks),
    money(cost) ?? UNKNOWN,
    ...[input, output, cacheReads, cacheWrites].map(number),
    byteSize(sizeBytes),
  ].map(escaped);
}

/** Format tokens briefly, since each count takes a column: `1.2M`. */
function number(value: number | null | undefined): string {
  return value == null ? UNKNOWN : compact(value);
}
