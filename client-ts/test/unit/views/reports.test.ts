import { expect, test, vi } from "vitest";

import { plain, table } from "../../../src/text/markdown.js";
import type { StatsResult, Totals } from "../../../src/protocol.js";
import { EXPORT_CSV, totalsReport } from "../../../src/reports/totals.js";
import { totalsCsv } from "../../../src/reports/totalsCsv.js";
import { TotalsLine, totalsText } from "../../../src/views/totalsLine.js";

const TOTALS: Totals = {
  tasks: 2_000,
  tasksWithTokens: 1_900,
  tasksWithCost: 1_812,
  tokens: 31_240_000,
  cost: 45.2,
  messages: 80_000,
  sizeBytes: 1024 ** 3,
};

function stats(more: Partial<StatsResult> = {}): StatsResult {
  return {
    matched: 2_000,
    copies: 0,
    totals: TOTALS,
    groups: {},
    parents: [],
    revision: 1,
    ...more,
  };
}

test("hostile text is shown as it is, on one line and in its order", () => {
  expect(plain("a|b\n# [x](command:y) <img> \u202Egpj")).toBe(
    "a\\|b \\# \\[x\\]\\(command\\:y\\) \\<img\\> gpj",
  );
  expect(table(["A", "B"], [["1", "2"]])).toBe("| A | B |\n| --- | ---: |\n| 1 | 2 |");
});

test("the totals fit in a line, with how many tasks they are of", () => {
  expect(totalsText(TOTALS)).toBe("31.2M tokens · $45.20 in 1,812 tasks");
  const nothing = { tasks: 1, tasksWithTokens: 0, tasksWithCost: 0, messages: 0, sizeBytes: 0 };
  expect(totalsText(nothing)).toBe("");
  expect(totalsText({ ...nothing, estimatedCost: 1.5, tasksWithEstimatedCost: 1 })).toBe(
    "≈ $1.50 (estimate)",
  );
});

test("totals of an earlier filter are not shown under a later one", async () => {
  const answers: ((result: StatsResult) => void)[] = [];
  const changed = vi.fn();
  const line = new TotalsLine(() => new Promise((answer) => answers.push(answer)), changed);
  line.follow("roof");
  line.follow("");
  answers[1]?.(stats());
  answers[0]?.(stats({ totals: { ...TOTALS, tasks: 1 } }));
  await vi.waitFor(() => {
    expect(changed).toHaveBeenCalledOnce();
  });
  expect([line.textFor("roof"), line.textFor("")]).toEqual(["", totalsText(TOTALS)]);
  line.dispose();
});

test("totals that follow each other fast are read once in a while", () => {
  vi.useFakeTimers();
  const read = vi.fn(() => Promise.resolve(stats()));
  const line = new TotalsLine(read, () => undefined);
  for (let round = 0; round < 10; round += 1) {
    line.follow("");
    vi.advanceTimersByTime(500);
  }
  expect(read.mock.calls.length).toBeLessThanOrEqual(2);
  line.dispose();
  vi.useRealTimers();
});

test("the totals report says what is not known, and of how many tasks a sum is", () => {
  const groups = { workspace: [{ key: "/a<b", totals: TOTALS }, { totals: TOTALS }] };
  const report = totalsReport(stats({ groups }), "status:<b>");
  expect(report).toContain("filter <code><bdi>status:&lt;b&gt;</bdi></code>: 2,000 tasks.");
  expect(report).toContain("Cost recorded for 1,812 tasks");
  expect(report).toContain('<th scope="row"><bdi>/<wbr>a&lt;b</bdi></th>');
  expect(report).toContain('<td class="number">$45.20</td><td class="number">–</td>');
  expect(report).toContain('<th scope="row">unknown</th>');
});

test("the totals report has a table for each group of which something is known", () => {
  const known = [{ key: "a", totals: TOTALS }, { totals: TOTALS }];
  const all = { workspace: known, mode: known, product: known, model: known, day: known };
  const headings = (report: string) =>
    [...report.matchAll(/<h2>By (\w+)<\/h2>/gu)].map(([, name]) => name);
  expect(headings(totalsReport(stats({ groups: all }), ""))).toEqual([
    ...["day", "product", "workspace", "model", "mode"],
  ]);
  const part = { workspace: known, mode: [{ totals: TOTALS }] };
  expect(headings(totalsReport(stats({ groups: part }), ""))).toEqual(["workspace"]);
});

test("a table that is cut says how many rows it shows, and offers the file with all of them", () => {
  const many = Array.from({ length: 1_340 }, (_, at) => ({
    key: `/projects/${at}`,
    totals: TOTALS,
  }));
  const report = totalsReport(stats({ groups: { workspace: many } }), "");
  expect(report.match(/<tr><th scope="row"><bdi>/gu)).toHaveLength(200);
  expect(report).toContain("<p>Showing 200 of 1,340 rows. <a href=");
  expect(report).toContain(`href="command:${EXPORT_CSV}?`);
  expect(report).toContain(">Export all rows as CSV…</a></p>");
  expect(totalsCsv(stats({ groups: { workspace: many } })).match(/^workspace,/gmu)).toHaveLength(
    1_340,
  );
  const whole = totalsReport(stats({ groups: { workspace: many.slice(0, 200) } }), "");
  expect(whole).not.toContain("Showing");
});

function group(key: string, cost: number | undefined, tokens: number) {
  return { key, totals: { ...TOTALS, tokens, cost: cost ?? null } };
}

test("a bar is as long as the share of the cost next to it; of the tokens where no cost is known", () => {
  const mode = [
    group("a", 12, 1),
    group("b", 4, 9),
    group("c", 0.001, 9),
    group("d", undefined, 9),
  ];
  const report = totalsReport(stats({ groups: { mode } }), "");
  expect(report).toContain('<th scope="col">Share of cost</th>');
  const bars = [...report.matchAll(/<rect width="([\d.]+)%" .*?<span>(.*?)<\/span>/gu)];
  expect(bars.map(([, width, share]) => [width, share])).toEqual([
    ["75.0", "75%"],
    ["25.0", "25%"],
    ["1.0", "&lt;1%"],
  ]);
  const unpriced = totalsReport(stats({ groups: { mode: [group("a", undefined, 5)] } }), "");
  expect(unpriced).toContain('<th scope="col">Share of tokens</th>');
});

test("the chart of days has a column for each, in order and with gaps, and describes itself", () => {
  const day = [group("2026-03-04", 4, 1), group("2026-03-01", 1, 1), group("", 9, 1)];
  const report = totalsReport(stats({ groups: { day } }), "");
  expect(report).toContain(
    'aria-label="Cost by day of last activity from 2026-03-01 to 2026-03-04, at most 2026-03-04: $4.00."',
  );
  expect(report).toContain('viewBox="0 0 14 100"');
  expect(report).toContain(
    "<span>2026-02-19</span><span>Cost by day of last activity, at most $4.00</span>",
  );
  const columns = [...report.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" .*?<title>(.*?)</gu)];
  expect(columns.map(([, x, y, words]) => [x, y, words])).toEqual([
    ["10.1", "75.0", "2026-03-01: $1.00"],
    ["13.1", "0.0", "2026-03-04: $4.00"],
  ]);
});

test("a single day has no chart, and only the newest days are drawn", () => {
  const days = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      group(new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10), 1, 1),
    );
  expect(totalsReport(stats({ groups: { day: days(1) } }), "")).not.toContain("<figure>");
  const report = totalsReport(stats({ groups: { day: days(150) } }), "");
  expect(report.match(/<rect x=/gu)).toHaveLength(120);
  expect(report).toContain("from 2026-01-31 to 2026-05-30");
  expect(report).toContain(
    "<p>30 days are not in the chart, which shows the newest 120 days and none in the future.</p>",
  );
  expect(totalsReport(stats({ groups: { day: days(120) } }), "")).not.toContain("not in the chart");
});

test("dates that do not exist, future days and impossible values are not drawn", () => {
  const day = [
    group("2026-02-31", 1, 1),
    group("9999-12-31", 1, 1),
    group("2026-03-01", Infinity, 1),
    group("2026-03-02", -5, 1),
    group("2026-03-03", 2, 1),
  ];
  const report = totalsReport(stats({ groups: { day } }), "");
  expect(report.match(/<rect x=/gu)).toHaveLength(3);
  expect(report).not.toMatch(/NaN|Infinity%|height="-/u);
});

test("absurd costs keep the layout and their shares", () => {
  const mode = [group("a", 1e308, 1), group("b", 1e308, 1), group("c", 12, 1)];
  const report = totalsReport(stats({ groups: { mode } }), "");
  expect(report).not.toMatch(/NaN|Infinity|\d{20}/u);
  expect(report).toContain("$1E308");
  const shares = [...report.matchAll(/<span>(.*?)<\/span>/gu)].map(([, share]) => share);
  expect(shares).toEqual(["50%", "50%", "&lt;1%"]);
});

test("what is almost all is not called all", () => {
  const mode = [group("a", 999, 1), group("b", 1, 1)];
  const report = totalsReport(stats({ groups: { mode } }), "");
  expect(report).toContain("<span>&gt;99%</span>");
});

test("the totals as CSV have a row for each group, empty cells for unknown figures, no formulas", () => {
  const groups = {
    workspace: [{ key: '=cmd("x"),1', totals: TOTALS }],
    mode: [{ totals: TOTALS }],
  };
  const lines = totalsCsv(stats({ groups })).split("\r\n");
  const figures = "2000,1812,1900,45.2,,,,,80000,1073741824,,";
  expect(lines).toEqual([
    "group,key,tasks,tasksWithCost,tasksWithTokens,cost,input,output,cacheReads,cacheWrites,messages,sizeBytes,tasksWithEstimatedCost,estimatedCost",
    `all,,${figures}`,
    `workspace,"'=cmd(""x""),1",${figures}`,
    `mode,unknown,${figures}`,
    "",
  ]);
});

test("a report on totals names what is estimated apart from what is recorded", () => {
  const totals = { ...TOTALS, tasksWithEstimatedCost: 7, estimatedCost: 3.25 };
  const report = totalsReport(stats({ totals, prices: "genai-prices 0.1" }), "");
  expect(report).toContain(
    "Estimated for 7 tasks without a recorded cost, and not included below: $3.25 (genai-prices 0.1).",
  );
  expect(report).toContain('<td class="number">$45.20</td>');
  expect(totalsReport(stats(), "")).not.toContain("Estimated");
});

test("a report on totals counts the copies in other roots", () => {
  const copies = "20 copies of these tasks in other roots are not counted again.";
  expect(totalsReport(stats({ copies: 20 }), "")).toContain(copies);
  expect(totalsReport(stats(), "")).not.toContain("other stores");
});
