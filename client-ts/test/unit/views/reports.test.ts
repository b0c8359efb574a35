import { expect, test, vi } from "vitest";
import type { TextDocument } from "vscode";

import { plain, table } from "../../../src/text/markdown.js";
import type { DoctorResult, StatsResult, Totals } from "../../../src/protocol.js";
import { doctorReport, TASK_MARK, tasksInReport } from "../../../src/reports/doctor.js";
import { totalsReport } from "../../../src/reports/totals.js";
import { totalsCsv } from "../../../src/reports/totalsCsv.js";
import type { TaskRef } from "../../../src/taskRef.js";
import { TotalsLine, totalsText } from "../../../src/views/totalsLine.js";
import { Reports } from "../../../src/views/reports.js";
import { type Document, shown, type Uri } from "../../vscode.js";

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
  const groups = { workspace: [{ key: "/a|b", totals: TOTALS }, { totals: TOTALS }] };
  const report = totalsReport(stats({ groups }), "status:failed");
  expect(report).toContain("filter status\\:failed: 2,000 tasks. Cost recorded for 1,812 tasks");
  expect(report).toContain(`| /a\\|b | ${"█".repeat(12)} | 2,000 | $45.20 | – |`);
  expect(report).toContain(`| unknown | ${"█".repeat(12)} | 2,000 |`);
  for (const heading of ["Workspace", "Mode", "Product", "Model", "Day"]) {
    expect(report).toContain(`## By ${heading.toLowerCase()}`);
  }
});

test("bars are in proportion to the cost, and to the tokens where no cost is known", () => {
  const group = (key: string, cost: number | undefined, tokens: number) => {
    return { key, totals: { ...TOTALS, tokens, cost: cost ?? null } };
  };
  const mode = [
    group("a", 12, 1),
    group("b", 4, 9),
    group("c", 0.001, 9),
    group("d", undefined, 9),
  ];
  const report = totalsReport(stats({ groups: { mode } }), "");
  expect(report).toContain("| Mode | Share of cost |");
  const bars = [...report.matchAll(/^\| [abcd] \| (█*)/gmu)].map(([, bar]) => bar?.length);
  expect(bars).toEqual([12, 4, 1, 0]);
  const unpriced = totalsReport(stats({ groups: { mode: [group("a", undefined, 5)] } }), "");
  expect(unpriced).toContain("| Mode | Share of tokens |");
});

test("the totals as CSV have a row for each group, empty cells for what is unknown, no formulas", () => {
  const groups = {
    workspace: [{ key: '=cmd("x"),1', totals: TOTALS }],
    mode: [{ totals: TOTALS }],
  };
  const lines = totalsCsv(stats({ groups })).split("\r\n");
  const figures = "2000,1812,1900,45.2,,,,,80000,1073741824";
  expect(lines).toEqual([
    "group,key,tasks,tasksWithCost,tasksWithTokens,cost,input,output,cacheReads,cacheWrites,messages,sizeBytes",
    `all,,${figures}`,
    `workspace,"'=cmd(""x""),1",${figures}`,
    `mode,,${figures}`,
    "",
  ]);
});

test("a report of sound stores says that nothing is wrong, and where it looked", () => {
  const roots = [{ path: "/r", product: "roo", exists: true, tasks: 3, emptyFolders: 0 } as const];
  const report = doctorReport({ roots, findings: [], counts: {}, revision: 1 });
  expect(report).toContain("No problems found.");
  expect(report).toMatch(/^- \/r: roo, 3 tasks$/mu);
});

test("a report counts the empty folders of a store, and the totals the copies in other stores", () => {
  const roots = [{ path: "/r", exists: true, tasks: 3, emptyFolders: 2 }];
  const report = doctorReport({ roots, findings: [], counts: {}, revision: 1 });
  expect(report).toContain("- /r: 3 tasks, 2 empty folders");
  const copies = "20 copies of these tasks in other roots are not counted again.";
  expect(totalsReport(stats({ copies: 20 }), "")).toContain(copies);
  expect(totalsReport(stats(), "")).not.toContain("other stores");
});

test("a report names the other names of a store, which are not offered again", () => {
  const roots = [{ path: "/r", exists: true, tasks: 3, emptyFolders: 0, otherNames: ["/a", "/b"] }];
  const searched = [{ path: "/a", why: "data of roo", found: true }];
  const report = doctorReport({ roots, searched, findings: [], counts: {}, revision: 1 });
  expect(report).toContain("- /r: 3 tasks; also named /a, /b, counted once");
  expect(report).not.toContain("data of roo");
});

test("a report says how many places were searched, and which stores found there are not listed", () => {
  const searched = [
    { path: "/r", why: "data of roo", found: true },
    { path: "/other", why: "a custom storage path", found: true },
    { path: "/nowhere", why: "data of kilo", found: false },
  ];
  const roots = [{ path: "/r", exists: true, tasks: 3, emptyFolders: 0 }];
  const report = doctorReport({ roots, searched, findings: [], counts: {}, revision: 1 });
  expect(report).toContain("Searched 3 locations, 2 with tasks.");
  expect(report).toContain("- /other: a custom storage path");
  expect(report).not.toContain("/nowhere");
  const all = [...roots, { path: "/other", exists: true, tasks: 1, emptyFolders: 0 }];
  expect(
    doctorReport({ roots: all, searched, findings: [], counts: {}, revision: 1 }),
  ).not.toContain("custom storage path");
});

test("each finding has its reason, its place and, once a kind, the remedy", () => {
  const cut = {
    code: "cut",
    root: "/r",
    remedy: "close the array",
    message: "ends in\n- task x: y",
  };
  const result: DoctorResult = {
    roots: [{ path: "/r", exists: false, tasks: 0, emptyFolders: 0 }],
    findings: [
      { ...cut, taskId: "t1", path: "/r/tasks/t1" },
      { ...cut, taskId: "t2", path: "/r/tasks/t2" },
      { ...cut, code: "newCode", remedy: "wait" },
      { ...cut, code: "indexOnly", remedy: "look", taskId: "gone", path: "/r/list.json" },
    ],
    counts: { cut: 2, newCode: 1, indexOnly: 1 },
    revision: 1,
  };
  const report = doctorReport(result);
  expect(report).toContain(
    "## Truncated files (2)\n\nSuggestion: close the array.\n\n- task t1: ends in - ",
  );
  expect(report.match(/close the array/gu)).toHaveLength(1);
  expect(report).toContain("## newCode (1)");
  expect(report.match(/^- task \S+/gmu)).toEqual(["- task t1:", "- task t2:"]);
  expect(tasksInReport(result)).toEqual([
    { id: "t1", root: "/r" },
    { id: "t2", root: "/r" },
  ]);
  expect(report).toContain("- /r/list.json: ends in");
});

test("a task in a report is a link to the one of its root; as long as that is not known, to its id", async () => {
  const tasks: TaskRef[] = ["/one", "/two"].map((root) => ({ id: "t1", root }));
  const lines = `${TASK_MARK}t1: cut\n${TASK_MARK}t1: cut\n${TASK_MARK}t2: cut\n`;
  const reports = new Reports({ Check: () => Promise.resolve({ text: lines, tasks }) });
  await reports.showPage("Check");
  expect(linked(reports, shown.documents.at(-1))).toEqual([...tasks, { id: "t2" }]);
  reports.dispose();
});

/** What the command behind each link of a document is called on. */
function linked(reports: Reports<"Check">, document: Document | undefined): unknown[] {
  const links = reports.provideDocumentLinks(document as unknown as TextDocument);
  return links.map(({ target }) => {
    const { scheme, path, query } = target as unknown as Uri;
    expect([scheme, path]).toEqual(["command", "subagentSidecar.task.open"]);
    return (JSON.parse(query) as unknown[])[0];
  });
}
