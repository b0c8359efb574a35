// The page of the usage totals, of tasks with hostile names and figures: read, scrolled, restored and exported.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { FrameLocator } from "playwright-core";

import { seriousFindingsOfReport } from "../harness/accessible.ts";
import { Chat } from "../harness/chat.ts";
import { Probe } from "../harness/probe.ts";
import { Session } from "../harness/session.ts";
import { storeInExtension } from "../harness/stories.ts";
import { setTheme, THEMES } from "../harness/themes.ts";
import { until } from "../harness/waiting.ts";
import { WINDOW, type Workbench } from "../harness/workbench.ts";

const HOSTILE = [
  "<img src=x onerror=alert(1)><script>alert(2)</script>",
  "\u202Eקבצים של הפרויקט\u202C [x](command:y)",
  "=cmd|' /C calc'!A0",
  "very-long-name-".repeat(60),
];
const FILTER = "product:kilo";
/** As narrow as a group of editors can be, without the side bar and its icons. */
const NARROW = 230;

const session = new Session("totals", {
  prepare: async (profile) => {
    const stories = HOSTILE.map((name, at) => ({
      ...{ title: name, answer: "Done.", hoursAgo: 1 + at * 50 },
      folder: `/home/ada/${name.replaceAll("/", "-")}`,
    }));
    const old = { ...{ title: "Old", answer: "Done.", folder: "/home/ada/shop" }, cost: 3 };
    const roots = [
      await storeInExtension(profile.folder, "kilo", { ...old, hoursAgo: 200 * 24 }),
      await storeInExtension(profile.folder, "roo", { ...old, hoursAgo: 4, cost: 1e300 }),
    ];
    for (const story of stories) {
      await storeInExtension(profile.folder, "kilo", story);
    }
    await profile.configure({ "subagentSidecar.foreignRoots": roots });
    await Probe.install(profile);
  },
});

session.step("without tasks, the page says so", async (workbench) => {
  await show(workbench, "no such words anywhere");
  const page = workbench.editorPage;
  await page.getByText("no such words anywhere: 0 tasks.").waitFor();
  assert.deepEqual(await seriousFindingsOfReport(workbench.page, page), []);
});

session.step("an absurd cost fits into its place", async (workbench) => {
  await show(workbench, "product:roo");
  const page = workbench.editorPage;
  await page.getByText("$1E300").first().waitFor();
  await assertFits(page);
});

session.step("hostile names are shown as they are", async (workbench) => {
  await show(workbench, FILTER);
  const page = workbench.editorPage;
  await page.getByText("<img src=x onerror=alert(1)>").first().waitFor();
  assert.equal(await page.locator("img, script").count(), 0);
  await page.getByText("1 day is not in the chart").waitFor();
  await assertFits(page);
});

session.step("axe has nothing serious to say about it, in any theme", async (workbench) => {
  const probe = new Probe(session.profile);
  const found: string[] = [];
  for (const theme of THEMES) {
    await setTheme(probe, workbench, theme);
    const page = workbench.editorPage;
    await until(
      theme.name,
      () => page.locator("body").getAttribute("class"),
      (classes) => classes?.split(" ").includes(theme.mark) === true,
    );
    found.push(
      ...(await seriousFindingsOfReport(workbench.page, page)).map(
        (finding) => `${theme.name}: ${finding}`,
      ),
    );
    await workbench.picture(theme.name);
  }
  await setTheme(probe, workbench, undefined);
  assert.deepEqual(found, []);
});

session.step(
  "zoomed to 200 %, and as narrow as possible, only tables scroll",
  async (workbench) => {
    await workbench.run("View: Toggle Primary Side Bar Visibility");
    const page = workbench.editorPage;
    for (const width of [WINDOW.width / 2, NARROW]) {
      await workbench.page.setViewportSize({ ...WINDOW, width });
      await assertFits(page);
      await workbench.picture(`${width}-px`);
    }
  },
);

session.step("by keys, a wide table scrolls", async (workbench) => {
  const page = workbench.editorPage;
  const table = page.getByRole("region", { name: "By workspace" });
  const cell = table.locator("td").last();
  await page.getByRole("heading", { name: "Usage Totals" }).click();
  const before = (await cell.boundingBox())?.x ?? 0;
  await until(
    "focused",
    async () => {
      await workbench.page.keyboard.press("Tab");
      return table.and(page.locator(":focus")).count();
    },
    (focused) => focused === 1,
  );
  await workbench.page.keyboard.press("ArrowRight");
  await until(
    "scrolled",
    async () => (await cell.boundingBox())?.x ?? 0,
    (x) => x < before,
  );
  await workbench.page.setViewportSize(WINDOW);
});

session.step("after a reload it has its filter, which the list has lost", async (workbench) => {
  await workbench.reload();
  const page = workbench.editorPage;
  await page.getByText(`${FILTER}: 5 tasks.`).waitFor();
});

session.step("the export has what the page shows, and no formulas", async (workbench) => {
  await workbench.page.getByRole("tab", { name: "Usage Totals" }).click();
  await workbench.run("Subagents: Export Usage Totals as CSV");
  await until(
    "the dialog proposes a file",
    () => workbench.quickInput.inputValue(),
    (proposed) => proposed.endsWith(".csv"),
  );
  const target = join(session.profile.workspace, "totals.csv");
  await workbench.answer(target);
  await workbench.toasts.getByText(/Exported the usage totals to .*totals.csv/).waitFor();
  const lines = (await readFile(target, "utf8")).split("\r\n");
  assert.match(lines[1] ?? "", /^all,,5,/);
  const page = workbench.editorPage;
  for (const [heading, group] of [
    ["By day", "day"],
    ["By product", "product"],
    ["By workspace", "workspace"],
  ] as const) {
    const table = page.getByRole("region", { name: heading });
    const rows = await table.locator("tbody tr").count();
    assert.equal(lines.filter((line) => line.startsWith(`${group},`)).length, rows, heading);
  }
});

async function show(workbench: Workbench, filter: string): Promise<void> {
  await workbench.run("Subagents: Filter Task History");
  await workbench.answer(filter);
  await new Chat(workbench).list.locator(".list-filter", { hasText: filter }).waitFor();
  await workbench.run("Subagents: Show Usage Totals");
}

/** Check that nothing is wider than its page: only tables scroll to the side. */
async function assertFits(page: FrameLocator): Promise<void> {
  const parts = page.locator("main > *, figure > *, figcaption > *");
  await until(
    "all parts within the page",
    async () => {
      const edge = rightOf(await page.locator("html").boundingBox());
      const boxes = await Promise.all((await parts.all()).map((part) => part.boundingBox()));
      return { edge, parts: Math.max(...boxes.map(rightOf)) };
    },
    ({ edge, parts: right }) => edge > 0 && right <= edge,
  );
}

function rightOf(box: { readonly x: number; readonly width: number } | null): number {
  return box === null ? 0 : Math.floor(box.x + box.width);
}
