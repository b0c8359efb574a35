import { beforeEach, expect, test, vi } from "vitest";
import type { WebviewPanel as EditorPanel } from "vscode";

import type { DoctorResult } from "../../../src/protocol.js";
import { doctorReport } from "../../../src/reports/doctor.js";
import type { SubagentService } from "../../../src/service/service.js";
import { diagnosisPage } from "../../../src/views/diagnosisPage.js";
import { setHome } from "../../../src/text/places.js";
import { FakeMemento } from "../memory.js";
import { shown, Uri, WebviewPanel } from "../../vscode.js";

const ROOT = { path: "/r", product: "roo", exists: true, tasks: 3, emptyFolders: 0 } as const;
const CUT = { code: "cut", root: "/r", remedy: "close the array", message: "ends in\n- a <b>" };

function result(more: Partial<DoctorResult> = {}): DoctorResult {
  return { roots: [ROOT], findings: [], counts: {}, revision: 1, ...more };
}

/** The tasks that the links of a page open. */
function linked(html: string): unknown[] {
  const links = html.matchAll(/href="command:subagentSidecar\.task\.view\?([^"]*)"/gu);
  return [...links].flatMap(([, query = ""]) =>
    (JSON.parse(decodeURIComponent(query)) as unknown[]).slice(0, 1),
  );
}

/** A page of a sidecar that answers with one result after the other. */
function pageOf(...results: (DoctorResult | Error)[]) {
  const request = vi.fn((method: string, { taskId = "" }: { taskId?: string } = {}) => {
    if (method === "tasks/get") {
      const title = TITLES.get(taskId);
      return title === undefined
        ? Promise.reject(new Error(`no stored task has the ID or prefix '${taskId}'`))
        : Promise.resolve({ task: { title } });
    }
    const next = results.shift();
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  });
  const service = { request } as unknown as SubagentService;
  return diagnosisPage(Uri.file("/ext") as never, service, new FakeMemento());
}

/** The titles of the tasks that can be read. */
const TITLES = new Map([
  ["t1", "Mend <the> roof"],
  ["t2", ""],
]);

const shownPage = (): WebviewPanel => shown.panels.at(-1) ?? new WebviewPanel("none");

beforeEach(() => {
  shown.panels.length = 0;
});

test("a report of sound stores says that nothing is wrong, and where it looked", () => {
  const report = doctorReport(result());
  expect(report).toContain("<p>No problems found.</p>");
  expect(report).toContain("<li><bdi>/r</bdi>: <bdi>roo</bdi>, 3 tasks</li>");
});

test("a report counts the empty folders of a store, and names its other names", () => {
  const root = { ...ROOT, emptyFolders: 2, otherNames: ["/a", "/b"] };
  const searched = [{ path: "/a", why: "data of roo", found: true }];
  const report = doctorReport(result({ roots: [root], searched }));
  expect(report).toContain("3 tasks, 2 empty folders; also named <bdi>/a</bdi>, <bdi>/b</bdi>");
  expect(report).not.toContain("data of roo");
});

test("a report says how many places were searched, and which stores found there are not listed", () => {
  const searched = [
    { path: "/r", why: "data of roo", found: true },
    { path: "/other", why: "a custom storage path", found: true },
    { path: "/nowhere", why: "data of kilo", found: false },
  ];
  const report = doctorReport(result({ searched }));
  expect(report).toContain("Discovery searched 3 usual locations and found tasks in 2 of them.");
  expect(report).toContain("<li><bdi>/other</bdi>: <bdi>a custom storage path</bdi></li>");
  expect(report).toContain("<code>subagentSidecar.foreignRoots</code>");
  expect(report).not.toContain("/nowhere");
  const all = doctorReport(result({ searched, roots: [ROOT, { ...ROOT, path: "/other" }] }));
  expect(all).not.toContain("custom storage path");
});

test("each finding has its reason, its place and, once a kind, the remedy; its task is a link", () => {
  const report = doctorReport(
    result({
      findings: [
        { ...CUT, taskId: "t1", path: "/r/tasks/t1" },
        { ...CUT, taskId: "t1", root: "/s", path: "/s/tasks/t1" },
        { ...CUT, code: "newCode", remedy: "wait" },
        { ...CUT, code: "indexOnly", remedy: "look", taskId: "gone", path: "/r/list.json" },
      ],
    }),
  );
  expect(report).toContain("<h2><bdi>Truncated files</bdi> (2)</h2>");
  expect(report).toContain("<small><bdi>/r/tasks/t1</bdi></small>");
  expect(report.match(/close the array/gu)).toHaveLength(1);
  expect(report).toContain("<h2><bdi>newCode</bdi> (1)</h2>");
  expect(report).toContain("<li><bdi>/r/list.json</bdi>: <bdi>ends in");
  expect(linked(report)).toEqual([
    { id: "t1", root: "/r" },
    { id: "t1", root: "/s" },
  ]);
});

test("what others wrote cannot become part of the page", () => {
  const taskId = `"><img src=x onerror='a'>`;
  const report = doctorReport(result({ findings: [{ ...CUT, taskId, path: "/<b>&" }] }));
  expect(report).toContain("ends in - a &lt;b&gt;");
  expect(report).toContain("/&lt;b&gt;&amp;");
  expect(report).not.toMatch(/<img|<b>/u);
  expect(linked(report.replaceAll("&#39;", "'"))).toEqual([{ id: taskId, root: "/r" }]);
});

test("the diagnosis is a page that runs no script and one command", async () => {
  const page = pageOf(result({ findings: [{ ...CUT, taskId: "t1" }] }));
  await page.show();
  const { html, options } = shownPage().webview;
  expect(html).toContain("default-src 'none'");
  expect(html).not.toContain("<script");
  expect(html).toMatch(/href="[^"]*report\.css/u);
  expect(options).toMatchObject({ enableCommandUris: ["subagentSidecar.task.view"] });
  expect(options).not.toHaveProperty("enableScripts");
  expect(linked(html)).toEqual([{ id: "t1", root: "/r" }]);
  page.dispose();
});

test("the page names tasks by their titles, and those that cannot be read by their IDs", async () => {
  const findings = ["t1", "t2", "t3"].map((taskId) => ({ ...CUT, taskId }));
  const page = pageOf(result({ findings: [...findings, CUT] }));
  await page.show();
  const { html } = shownPage().webview;
  expect(html).toContain("<bdi>Mend &lt;the&gt; roof</bdi></a>: <bdi>ends in");
  expect(html).toContain(">(untitled)</a>");
  expect(html).toContain("<bdi>t3</bdi></a>");
  expect(html).not.toContain("<bdi>t1</bdi>");
  page.dispose();
});

test("the page shortens the paths of the home folder", () => {
  setHome("/home/ada");
  const root = { ...ROOT, path: "/home/ada/.claude", otherNames: ["/home/ada/c"] };
  const searched = [{ path: "/home/ada/x", why: "data of kilo", found: true }];
  const finding = { ...CUT, taskId: "t1", path: "/home/ada/.claude/t1" };
  const report = doctorReport(result({ roots: [root], searched, findings: [finding] }));
  expect(report).toContain("<bdi>~/.claude</bdi>");
  expect(report).toContain("<small><bdi>~/.claude/t1</bdi></small>");
  expect(report).not.toContain("/home/ada");
  setHome("");
});

test("a diagnosis that is shown again updates its page; a closed one gets a new page", async () => {
  const page = pageOf(result({ findings: [CUT] }), result(), result());
  await page.show();
  await page.show();
  expect(shown.panels).toHaveLength(1);
  expect(shownPage().revealed).toBe(1);
  expect(shownPage().webview.html).toContain("No problems found.");
  shownPage().dispose();
  await page.show();
  expect(shown.panels).toHaveLength(2);
  page.dispose();
});

test("the page of the earlier window is filled again, and says why if it cannot be", async () => {
  const page = pageOf(new Error("the sidecar has <stopped>"), result());
  const panel = new WebviewPanel("subagentSidecar.diagnosis");
  await page.deserializeWebviewPanel(panel as unknown as EditorPanel);
  expect(panel.webview.html).toContain("the sidecar has &lt;stopped&gt;");
  await page.show();
  expect(shown.panels).toHaveLength(1);
  expect(panel.webview.html).toContain("No problems found.");
  page.dispose();
});
