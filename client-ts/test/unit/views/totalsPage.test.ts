import { beforeEach, expect, test } from "vitest";
import type { WebviewPanel as EditorPanel } from "vscode";

import type { StatsParams, StatsResult } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";
import { totalsPage } from "../../../src/views/totalsPage.js";
import { FakeMemento } from "../memory.js";
import { shown, Uri, WebviewPanel } from "../../vscode.js";

const NOTHING = { tasks: 0, tasksWithTokens: 0, tasksWithCost: 0, messages: 0, sizeBytes: 0 };
const STATS = { matched: 0, copies: 0, totals: NOTHING, groups: {}, parents: [], revision: 1 };

/** A page of a history with a filter, whose answers are given one by one if `waits`. */
function opened({ memory = new FakeMemento(), waits = false } = {}) {
  const asked: { readonly query: string; readonly answer: () => void }[] = [];
  const request = (_: string, { query = "" }: StatsParams) =>
    new Promise<StatsResult>((resolve) => {
      const answer = () => {
        resolve(STATS);
      };
      asked.push({ query: query ?? "", answer });
      if (!waits) {
        answer();
      }
    });
  const history = { filter: "" };
  const service = { request } as unknown as SubagentService;
  const totals = totalsPage(Uri.file("/ext") as never, service, () => history.filter, memory);
  return { totals, history, asked, memory };
}

const shownPage = (): WebviewPanel => shown.panels.at(-1) ?? new WebviewPanel("none");

beforeEach(() => {
  shown.panels.length = 0;
});

test("a page in front keeps its filter even if that of the history changes", async () => {
  const { totals, history, asked } = opened();
  history.filter = "product:kilo";
  expect(totals.query()).toBe("product:kilo");
  await totals.show();
  history.filter = "";
  expect(asked.map(({ query }) => query)).toEqual(["product:kilo"]);
  Object.assign(shownPage(), { active: true });
  expect(totals.query()).toBe("product:kilo");
  Object.assign(shownPage(), { active: false });
  expect(totals.query()).toBe("");
});

test("the page can export what it shows", async () => {
  const { totals } = opened();
  await totals.show();
  const enableCommandUris = ["subagentSidecar.history.totalsCsv"];
  expect(shownPage().webview.options).toMatchObject({ enableCommandUris });
});

test("the page of the earlier window has the filter that it had there", async () => {
  const { totals, history, memory } = opened();
  history.filter = "product:kilo";
  await totals.show();
  const later = opened({ memory });
  const panel = new WebviewPanel("subagentSidecar.totals");
  await later.totals.page.deserializeWebviewPanel(panel as unknown as EditorPanel);
  expect(panel.webview.html).toContain("<bdi>product:kilo</bdi>");
  Object.assign(panel, { active: true });
  expect(later.totals.query()).toBe("product:kilo");
});

test("of two requests the last one decides, whichever is answered first", async () => {
  const { totals, history, asked } = opened({ waits: true });
  history.filter = "first";
  const first = totals.show();
  history.filter = "last";
  const last = totals.show();
  asked[1]?.answer();
  await last;
  asked[0]?.answer();
  await first;
  expect(shown.panels).toHaveLength(1);
  expect(shownPage().webview.html).toContain("<bdi>last</bdi>");
  expect(shownPage().revealed).toBe(0);
  expect(totals.page.query).toBe("last");
});

test("a page restored while another filter is read gets that one, and stays the only page", async () => {
  const { totals, history, asked } = opened({ waits: true });
  history.filter = "new";
  const showing = totals.show();
  const panel = new WebviewPanel("subagentSidecar.totals");
  const restoring = totals.page.deserializeWebviewPanel(panel as unknown as EditorPanel);
  for (const { answer } of asked) {
    answer();
  }
  await Promise.all([showing, restoring]);
  expect(shown.panels).toEqual([panel]);
  expect(panel.webview.html).toContain("<bdi>new</bdi>");
});

test("a page restored behind another tab replaces the one that was opened meanwhile", async () => {
  const { totals } = opened();
  await totals.show();
  const other = shownPage();
  let closed = 0;
  other.onDidDispose(() => {
    closed += 1;
  });
  const panel = new WebviewPanel("subagentSidecar.totals");
  await totals.page.deserializeWebviewPanel(panel as unknown as EditorPanel);
  expect(closed).toBe(1);
  await totals.show();
  expect([panel.revealed, other.revealed]).toEqual([1, 0]);
});

test("a page that is closed while it is restored is left alone", async () => {
  const { totals, asked } = opened({ waits: true });
  const panel = new WebviewPanel("subagentSidecar.totals");
  const restoring = totals.page.deserializeWebviewPanel(panel as unknown as EditorPanel);
  panel.dispose();
  asked[0]?.answer();
  await restoring;
  expect(panel.webview.html).toBe("");
});
