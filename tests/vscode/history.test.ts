import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Locator } from "playwright-core";

import {
  HISTORY_TASKS,
  historyRoots,
  OWN_TASK,
  SMALL_TASK,
  storeOwnTask,
  storeSmallTask,
} from "./harness/history.ts";
import { Session } from "./harness/session.ts";
import { until } from "./harness/waiting.ts";
import type { Workbench } from "./harness/workbench.ts";

const PAGE = 200;
const VIEW = "Task History";
const ALL = (HISTORY_TASKS + 2).toLocaleString();

const session = new Session("history", {
  prepare: async (profile) => {
    const storageRoot = join(profile.folder, "store");
    await storeOwnTask(storageRoot);
    await storeSmallTask(storageRoot);
    await profile.addFile(OWN_TASK.file, "turns = True\n");
    await profile.configure({
      "subagentSidecar.storageRoot": storageRoot,
      "subagentSidecar.foreignRoots": await historyRoots(),
    });
  },
});

session.step("the history counts 2,002 stored tasks and lists a page", async (workbench) => {
  await workbench.showOnly(VIEW);
  await workbench.treeRows(VIEW).first().waitFor();
  await workbench.view(VIEW).getByText(ALL, { exact: true }).waitFor();
  await until(
    "a page long",
    () => workbench.treeSize(VIEW),
    (size) => size === PAGE + 1,
  );
});

session.step("above them stands what they used in all", async (workbench) => {
  await workbench
    .view(VIEW)
    .getByText(/^[\d.]+M tokens · \$/)
    .waitFor();
});

session.step("load more appends the next page", async (workbench) => {
  await workbench.view(VIEW).locator(".monaco-list").focus();
  await workbench.page.keyboard.press("End");
  await workbench.treeRows(VIEW).filter({ hasText: "Load more tasks" }).click();
  await until(
    "two pages long",
    () => workbench.treeSize(VIEW),
    (size) => size === 2 * PAGE + 1,
  );
});

session.step("the filter narrows the history, and says so", async (workbench) => {
  await workbench.run("Subagents: Filter Task History");
  await workbench.answer("paging");
  await workbench
    .view(VIEW)
    .getByText(/Filter: paging/)
    .waitFor();
  const rows = workbench.treeRows(VIEW);
  await until(
    "only what fits",
    async () => (await rows.allInnerTexts()).filter((text) => !/paging|Load more/i.test(text)),
    (strangers) => strangers.length === 0,
  );
});

session.step("a filter with a fault says where it is and what was expected", async (workbench) => {
  await workbench.run("Subagents: Filter Task History");
  await workbench.type("status:fail");
  await workbench.page.getByText(/At character 8: expected one of active/).waitFor();
  await workbench.type("status:failed cost>0");
  await workbench.page.getByText(/tasks? match/).waitFor();
  await workbench.page.keyboard.press("Enter");
  await workbench
    .view(VIEW)
    .getByText(/Filter: status:failed cost>0/)
    .waitFor();
});

session.step("a filter that nothing fits offers to clear it", async (workbench) => {
  await workbench.run("Subagents: Filter Task History");
  await workbench.answer("no such words anywhere");
  await workbench.view(VIEW).getByText(/Clear/).waitFor();
});

session.step("clearing the filter brings all tasks back", async (workbench) => {
  await workbench.run("Subagents: Clear");
  await workbench.view(VIEW).getByText(ALL, { exact: true }).waitFor();
});

session.step("a task opens as a read-only transcript", async (workbench) => {
  const row = workbench.treeRows(VIEW).first();
  const title = (await row.locator(".label-name").first().innerText()).slice(0, 20);
  await row.click();
  const editor = workbench.page.locator(".editor-instance .view-lines");
  await editor.getByText(title).first().waitFor();
  await workbench.focusedEditor.waitFor();
  await workbench.page.keyboard.type("x");
  await workbench.page.getByText("Cannot edit in read-only editor").first().waitFor();
});

session.step("the palette finds a task by its words", async (workbench) => {
  await workbench.run("Subagents: Find Task");
  await workbench.type("build fail");
  await workbench.row("build").first().waitFor();
});

session.step("the search shows tasks and messages while one types", async (workbench) => {
  await workbench.page.keyboard.press("Escape");
  await workbench.run("Subagents: Search Task History");
  await workbench.type("weathercock");
  await workbench.row(OWN_TASK.id).waitFor();
  await workbench.type("creaks north");
  await workbench.row(OWN_TASK.words).waitFor();
});

session.step("a found message opens the transcript at its place", async (workbench) => {
  await workbench.row(OWN_TASK.words).click();
  const editor = workbench.page.locator(".editor-instance .view-lines");
  await editor.getByText(OWN_TASK.words).waitFor();
});

session.step("a fault of the query is shown where one types", async (workbench) => {
  await workbench.run("Subagents: Search Task History");
  await workbench.type("cost>much");
  await workbench.row("At character 6: expected a number").waitFor();
});

session.step("what is searched becomes the filter of the view", async (workbench) => {
  await workbench.type("product:kilo since:2020-01-01");
  await workbench.page.getByRole("button", { name: "Use as Task History Filter" }).click();
  await workbench
    .view(VIEW)
    .getByText(/Filter: product:kilo since:2020-01-01/)
    .waitFor();
  await workbench.view(VIEW).getByText(`250 of ${ALL}`, { exact: true }).waitFor();
});

session.step("the totals are a page, of the tasks under the filter", async (workbench) => {
  await workbench.run("Subagents: Show Usage Totals");
  const page = await workbench.renderedPage("Usage Totals");
  for (const heading of ["By workspace", "By mode", "By product", "By day"]) {
    await page.getByRole("heading", { name: heading }).waitFor();
  }
  await page.getByText("product:kilo").waitFor();
});

session.step("the check tells what is wrong, and why", async (workbench) => {
  await workbench.run("Subagents: Diagnose Task History");
  const report = workbench.page.locator(".editor-instance .view-lines");
  await report.getByText("1 problem found. Nothing was changed.").waitFor();
  await report.getByText("Byte order mark (1)").waitFor();
});

session.step("a task that the check names opens", async (workbench) => {
  const report = workbench.page.locator(".editor-instance .view-lines");
  const link = report.locator(".detected-link", { hasText: OWN_TASK.id });
  await link.click({ modifiers: ["Control"] });
  await report.getByText(OWN_TASK.title).first().waitFor();
  await workbench.run("Subagents: Clear");
});

session.step("a file leads to the tasks that touched it", async (workbench) => {
  await workbench.openSideBar("Explorer");
  const tree = workbench.page.locator(".explorer-folders-view");
  await tree.getByRole("treeitem", { name: "src" }).first().click();
  const file = tree.getByRole("treeitem", { name: "weathercock.py" });
  await workbench.chooseFromMenu(file, "Show Tasks That Touched This File");
  await workbench.row(OWN_TASK.title).waitFor();
});

session.step("an export is written where one wants it, without secrets", async (workbench) => {
  await workbench.page.keyboard.press("Escape");
  await workbench.openSideBar("Subagents");
  const row = workbench.treeRows(VIEW).filter({ hasText: OWN_TASK.title });
  await workbench.chooseFromMenu(row, "Export Task");
  await workbench.pick("Markdown, Redacted");
  const target = join(session.profile.workspace, "exported.md");
  await workbench.row("src").waitFor(); // the dialog lists the folder
  await workbench.answer(target);
  await workbench.toasts.getByText(/Exported .* to .*exported.md/).waitFor();
  assert.match(await readFile(target, "utf8"), new RegExp(OWN_TASK.words));
});

session.step("all that are selected are exported, into a folder", async (workbench) => {
  await workbench.chooseFromMenu(await selectTwo(workbench), "Export Task");
  await workbench.pick("Markdown");
  await workbench.row("src").waitFor(); // the dialog lists the folder
  await workbench.picture("a-folder-is-chosen");
  await workbench.page.getByRole("button", { name: "Export Here" }).click();
  await workbench.toasts.getByText(/^Exported 2 tasks to /).waitFor();
  const files = await readdir(session.profile.workspace);
  assert.equal(files.filter((name) => name.endsWith(".md")).length, 3, files.join());
  assert.ok(files.includes("oil-the-weathercock.md"), files.join());
});

session.step("all that are selected are deleted after one question", async (workbench) => {
  const row = await selectTwo(workbench);
  await workbench.chooseFromMenu(row, "Delete Task");
  await workbench.page.getByText("Delete 2 tasks?").waitFor();
  await workbench.picture("a-question-about-two-tasks");
  await workbench.page.getByRole("button", { name: "Move to Trash" }).click();
  const toast = await workbench.toast("Deleted 2 tasks.");
  await row.waitFor({ state: "detached" });
  await workbench.picture("two-tasks-are-deleted");
  await toast.getByRole("button", { name: "Undo" }).click();
  await workbench.view(VIEW).getByText(ALL, { exact: true }).waitFor();
});

session.step(
  "a task of the own root is deleted after a question, and undone",
  async (workbench) => {
    const row = workbench.treeRows(VIEW).filter({ hasText: OWN_TASK.title });
    await workbench.chooseFromMenu(row, "Delete Task");
    await workbench.page.getByRole("button", { name: "Move to Trash" }).click();
    const toast = await workbench.toast(`Deleted “${OWN_TASK.title}”.`);
    await row.waitFor({ state: "detached" });
    await toast.getByRole("button", { name: "Undo" }).click();
    await row.waitFor();
  },
);

session.step("an archived task is restored by its title", async (workbench) => {
  const row = workbench.treeRows(VIEW).filter({ hasText: OWN_TASK.title });
  await workbench.chooseFromMenu(row, "Archive Task");
  await row.waitFor({ state: "detached" });
  await workbench.run("Subagents: Restore Task");
  await workbench.pick(OWN_TASK.title);
  await row.waitFor();
});

session.step("a task of another product cannot be deleted from its row", async (workbench) => {
  await workbench.openMenu(workbench.treeRows(VIEW).nth(2), "Export Task");
  assert.equal(await workbench.page.getByRole("menuitem", { name: "Delete Task" }).count(), 0);
});

session.step("a killed sidecar comes back with the whole history", async (workbench) => {
  await workbench.page.keyboard.press("Escape");
  const before = await session.host.sidecar();
  process.kill(before, "SIGKILL");
  await until(
    "another sidecar",
    () => session.host.sidecar(),
    (now) => now !== before,
  );
  await workbench.run("Subagents: Refresh");
  await workbench.view(VIEW).getByText(ALL, { exact: true }).waitFor();
});

/** Select both own tasks; returns the row of one. */
async function selectTwo(workbench: Workbench): Promise<Locator> {
  const rows = workbench.treeRows(VIEW);
  const own = rows.filter({ hasText: OWN_TASK.title });
  await own.click();
  await workbench.focusedEditor.waitFor(); // the transcript that opens would take a menu's focus, and so the menu
  await rows.filter({ hasText: SMALL_TASK.title }).click({ modifiers: ["Control"] });
  await until(
    "both selected",
    () => workbench.view(VIEW).locator('[role=treeitem][aria-selected="true"]').count(),
    (count) => count === 2,
  );
  return own;
}
