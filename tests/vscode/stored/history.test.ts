import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import type { Locator } from "playwright-core";

import { Chat } from "../harness/chat.ts";
import {
  HISTORY_TASKS,
  historyRoots,
  OWN_TASK,
  SMALL_TASK,
  storeOwnTask,
  storeSmallTask,
} from "../harness/history.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";
import type { Workbench } from "../harness/workbench.ts";

const ALL = HISTORY_TASKS + 2;

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

session.step("the list shows this workspace first, and all on request", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.listButton(/^Show [\d,]+ tasks of other workspaces$/).click();
  await chat.rows.first().waitFor();
  await chat.list.getByRole("button", { name: /^Older, [\d,]+ tasks/ }).waitFor();
});

session.step("who scrolls to the end sees all of them, with few lines drawn", async (workbench) => {
  const chat = new Chat(workbench);
  const list = chat.list.locator("#list");
  const lines = await until(
    "all loaded",
    () =>
      list.evaluate((scroller) => {
        scroller.scrollTop = scroller.scrollHeight;
        const drawn = [...scroller.querySelectorAll(".line")];
        return { sizes: drawn.map((line) => Number(line.ariaSetSize)), drawn: drawn.length };
      }),
    ({ sizes }) => Math.max(...sizes) >= ALL,
  );
  assert.ok(lines.drawn < 100, `${lines.drawn} lines`);
  await list.evaluate((scroller) => {
    scroller.scrollTop = 0;
  });
});

session.step("the filter narrows the history, and says so", async (workbench) => {
  await workbench.run("Subagents: Filter Task History");
  await workbench.answer("paging");
  await filtered(workbench, "paging");
  const { rows } = new Chat(workbench);
  await until(
    "only what fits",
    async () => (await rows.allInnerTexts()).filter((text) => !/paging/i.test(text)),
    (strangers) => strangers.length === 0,
  );
});

session.step(
  "a filter with a mistake says where it is and what was expected",
  async (workbench) => {
    await workbench.run("Subagents: Filter Task History");
    await workbench.type("status:fail");
    await workbench.page.getByText(/At character 8: expected one of active/).waitFor();
    await workbench.type("status:failed cost>0");
    await workbench.page.getByText(/tasks? match/).waitFor();
    await workbench.page.keyboard.press("Enter");
    await filtered(workbench, "status:failed cost>0");
  },
);

session.step("a filter that nothing fits offers to clear it", async (workbench) => {
  await workbench.run("Subagents: Filter Task History");
  await workbench.answer("no such words anywhere");
  await new Chat(workbench).list.getByText("No task matches.").waitFor();
});

session.step("clearing the filter brings all tasks back", async (workbench) => {
  await workbench.run("Subagents: Clear");
  await showsAll(workbench);
});

session.step("a stored task opens as a conversation, and offers to continue", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.row(OWN_TASK.title).click();
  await chat.says("It turns again.");
  await chat.button("Continue With…").waitFor();
});

session.step("its transcript opens from the row's menu, read-only", async (workbench) => {
  await workbench.chooseFromMenu(new Chat(workbench).row(OWN_TASK.title), "Open Transcript");
  const editor = workbench.page.locator(".editor-instance .view-lines");
  await editor.getByText(OWN_TASK.title).first().waitFor();
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
  await workbench.row(OWN_TASK.title).first().waitFor();
  await workbench.type("creaks north");
  await workbench.row(OWN_TASK.words).waitFor();
});

session.step("a found message opens the transcript at its place", async (workbench) => {
  await workbench.row(OWN_TASK.words).click();
  const editor = workbench.page.locator(".editor-instance .view-lines");
  await editor.getByText(OWN_TASK.words).waitFor();
});

session.step("a mistake in the query is shown where people type", async (workbench) => {
  await workbench.run("Subagents: Search Task History");
  await workbench.type("cost>much");
  await workbench.row("At character 6: expected a number").waitFor();
});

session.step("what is searched becomes the filter of the view", async (workbench) => {
  await workbench.type("product:kilo since:2020-01-01");
  await workbench.page.getByRole("button", { name: "Use as Task History Filter" }).click();
  await filtered(workbench, "product:kilo since:2020-01-01");
  await new Chat(workbench).list.getByText(/^250 tasks/).waitFor();
});

session.step("the totals are a page, of the tasks under the filter", async (workbench) => {
  await workbench.run("Subagents: Show Usage Totals");
  const page = await workbench.renderedPage("Usage Totals");
  for (const heading of ["By workspace", "By mode", "By product", "By model", "By day"]) {
    await page.getByRole("heading", { name: heading, exact: true }).waitFor();
  }
  await page.getByText("product:kilo").waitFor();
  await page.locator("svg.bar rect").first().waitFor();
  await page.getByRole("img", { name: /by day of last activity from/ }).waitFor();
});

session.step("the totals are exported as a table", async (workbench) => {
  await workbench.run("Subagents: Export Usage Totals as CSV");
  const target = join(session.profile.workspace, "totals.csv");
  await workbench.row("src").waitFor(); // the dialog lists the folder
  await workbench.answer(target);
  await workbench.toasts.getByText(/Exported the usage totals to .*totals.csv/).waitFor();
  const lines = (await readFile(target, "utf8")).split("\r\n");
  assert.match(lines[0] ?? "", /^group,key,tasks,/);
  assert.match(lines[1] ?? "", /^all,,250,/);
  assert.ok(lines.some((line) => line.startsWith("product,kilo,250,")));
});

session.step("the check tells what is wrong, and why", async (workbench) => {
  await workbench.run("View: Close All Editors");
  await workbench.run("Subagents: Diagnose Task History");
  const report = await workbench.renderedPage("Task History Diagnosis");
  await report.getByText("1 problem found. Nothing was changed.").waitFor();
  await report.getByRole("heading", { name: "Byte order mark (1)" }).waitFor();
});

session.step("a task that the check names opens", async (workbench) => {
  const report = await workbench.renderedPage("Task History Diagnosis");
  await report.getByRole("link", { name: OWN_TASK.title }).click();
  await new Chat(workbench).says("It turns again.");
  await workbench.run("Subagents: Clear");
});

session.step("a file leads to the tasks that touched it", async (workbench) => {
  await workbench.openSideBar("Explorer");
  const tree = workbench.page.locator(".explorer-folders-view");
  await tree.getByRole("treeitem", { name: "totals.csv" }).waitFor(); // rows move as it appears
  await tree.getByRole("treeitem", { name: "src", exact: true }).click();
  await workbench.page.keyboard.press("ArrowRight"); // opens the folder, unless the click did
  const file = tree.getByRole("treeitem", { name: "weathercock.py" });
  await workbench.chooseFromMenu(file, "Show Tasks That Touched This File");
  await workbench.row(OWN_TASK.title).waitFor();
});

session.step("an export is written where one wants it, without secrets", async (workbench) => {
  await workbench.page.keyboard.press("Escape");
  await workbench.openSideBar("Subagents");
  const row = new Chat(workbench).row(OWN_TASK.title);
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
  await showsAll(workbench);
});

session.step(
  "a task of the own root is deleted after a question, and undone",
  async (workbench) => {
    const row = new Chat(workbench).row(OWN_TASK.title);
    await workbench.chooseFromMenu(row, "Delete Task");
    await workbench.page.getByRole("button", { name: "Move to Trash" }).click();
    const toast = await workbench.toast(`Deleted “${OWN_TASK.title}”.`);
    await row.waitFor({ state: "detached" });
    await toast.getByRole("button", { name: "Undo" }).click();
    await row.waitFor();
  },
);

session.step("an archived task is restored by its title", async (workbench) => {
  const row = new Chat(workbench).row(OWN_TASK.title);
  await workbench.chooseFromMenu(row, "Archive Task");
  await row.waitFor({ state: "detached" });
  // Its message is closed later, when the user is elsewhere: that takes no focus.
  await workbench.openSideBar("Explorer");
  await workbench.run("Notifications: Clear All Notifications");
  await workbench.run("Subagents: Restore Task");
  await workbench.pick(OWN_TASK.title);
  await workbench.page.locator(".sidebar .composite.title", { hasText: "Explorer" }).waitFor();
  await workbench.openSideBar("Subagents");
  await row.waitFor();
});

session.step("a task of another product cannot be deleted from its row", async (workbench) => {
  await workbench.openMenu(new Chat(workbench).rows.nth(3), "Export Task");
  assert.equal(await workbench.page.getByRole("menuitem", { name: "Delete Task" }).count(), 0);
});

session.step("a task of another product is pinned, and its files stay as they are", async (one) => {
  await one.page.keyboard.press("Escape");
  const before = await filesOf(await historyRoots());
  const chat = new Chat(one);
  const row = chat.rows.filter({ hasText: "cline" }).first();
  const pinned = (await row.getAttribute("data-key")) ?? "";
  await one.chooseFromMenu(row, "Pin Task");
  await chat.list.getByRole("button", { name: "Pinned, 1 task" }).waitFor();
  assert.equal(await chat.rows.first().getAttribute("data-key"), pinned);
  assert.equal(await chat.list.locator(`[data-key=${JSON.stringify(pinned)}]`).count(), 1);
  assert.deepEqual(await filesOf(await historyRoots()), before);
});

session.step("F2 renames it, here alone", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.rows.first().press("F2");
  await workbench.answer("The one with the tokens");
  await chat.row("The one with the tokens").click();
  await chat.frame.getByRole("heading", { name: "The one with the tokens" }).waitFor();
  await workbench.page.locator(".tab", { hasText: "The one with the tokens" }).waitFor();
});

session.step("tags are shown, and the filter finds them", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.chooseFromMenu(chat.row("The one with the tokens"), "Edit Tags");
  await workbench.answer("#release, later");
  await chat.row("#later").getByText("#release").waitFor();
  await workbench.run("Subagents: Filter Task History");
  await workbench.answer("tag:release product:cline");
  await filtered(workbench, "tag:release product:cline");
  await chat.list.getByText(/^1 task\b/).waitFor();
  await chat.row("The one with the tokens").waitFor();
  assert.equal(await chat.rows.count(), 1);
  await workbench.run("Subagents: Clear");
});

session.step("a reload keeps pin, name and tags", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.reload();
  await chat.list.getByRole("button", { name: "Pinned, 1 task" }).waitFor();
  await chat.rows.first().getByText("The one with the tokens").waitFor();
  await chat.rows.first().hover();
  await chat.list.getByRole("button", { name: "Unpin: The one with the tokens" }).click();
  await chat.list.getByRole("button", { name: "Pinned, 1 task" }).waitFor({ state: "detached" });
});

session.step("a killed sidecar comes back with the whole history", async (workbench) => {
  const before = await session.host.sidecar();
  process.kill(before, "SIGKILL");
  await until(
    "another sidecar",
    () => session.host.sidecar(),
    (now) => now !== before,
  );
  await workbench.run("Subagents: Refresh");
  await showsAll(workbench);
});

/** All files below folders, with the times of their last changes. */
async function filesOf(roots: readonly string[]): Promise<readonly string[]> {
  const all = roots.map(async (root) => {
    const names = await readdir(root, { recursive: true });
    const times = names.map(async (name) => {
      return `${root}/${name} ${(await stat(join(root, name))).mtimeMs}`;
    });
    return Promise.all(times);
  });
  return (await Promise.all(all)).flat().sort();
}

/** Select both own tasks; returns the row of one. */
async function selectTwo(workbench: Workbench): Promise<Locator> {
  const { rows, list } = new Chat(workbench);
  const own = rows.filter({ hasText: OWN_TASK.title });
  await own.press("Escape"); // what was selected before no longer is
  await own.click({ modifiers: ["Control"] });
  await rows.filter({ hasText: SMALL_TASK.title }).click({ modifiers: ["Control"] });
  await until(
    "both selected",
    () => list.locator('.agent[aria-pressed="true"]').count(),
    (count) => count === 2,
  );
  return own;
}

/** Wait until the list says that it is filtered by a query. */
async function filtered(workbench: Workbench, query: string): Promise<void> {
  await new Chat(workbench).list.locator(".list-filter", { hasText: query }).waitFor();
}

/** Wait until the list is not filtered and has tasks. */
async function showsAll(workbench: Workbench): Promise<void> {
  const chat = new Chat(workbench);
  await chat.list.locator(".list-filter").waitFor({ state: "detached" });
  await chat.row(OWN_TASK.title).waitFor();
}
