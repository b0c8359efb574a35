import assert from "node:assert/strict";

import { HISTORY_TASKS, historyRoots } from "./harness/history.ts";
import { Session } from "./harness/session.ts";
import { until } from "./harness/waiting.ts";

const PAGE = 200;
const VIEW = "Task History";

const session = new Session("history", {
  prepare: async (profile) => {
    await profile.configure({ "subagentSidecar.foreignRoots": await historyRoots() });
  },
});

session.step("the history counts 2,000 stored tasks and lists a page", async (workbench) => {
  await workbench.showOnly(VIEW);
  await workbench.treeRows(VIEW).first().waitFor();
  await workbench.view(VIEW).getByText(HISTORY_TASKS.toLocaleString(), { exact: true }).waitFor();
  assert.equal(await workbench.treeSize(VIEW), PAGE + 1);
});

session.step("load more appends the next page", async (workbench) => {
  await workbench.view(VIEW).locator(".monaco-list").focus();
  await workbench.page.keyboard.press("End");
  await workbench.treeRows(VIEW).filter({ hasText: "Load more" }).click();
  await until(
    "two pages long",
    () => workbench.treeSize(VIEW),
    (size) => size === 2 * PAGE + 1,
  );
});

session.step("the filter narrows the history, and says so", async (workbench) => {
  await workbench.run("Subagents: Filter Task History");
  await workbench.answer("paging");
  await workbench.view(VIEW).getByText("Filter: paging").waitFor();
  const rows = workbench.treeRows(VIEW);
  await until(
    "only what fits",
    async () => (await rows.allInnerTexts()).filter((text) => !/paging|Load more/i.test(text)),
    (strangers) => strangers.length === 0,
  );
});

session.step("a filter that nothing fits offers to clear it", async (workbench) => {
  await workbench.run("Subagents: Filter Task History");
  await workbench.answer("no such words anywhere");
  await workbench.view(VIEW).getByText(/Clear/).waitFor();
});

session.step("clearing the filter brings all tasks back", async (workbench) => {
  await workbench.run("Subagents: Clear");
  await workbench.view(VIEW).getByText(HISTORY_TASKS.toLocaleString(), { exact: true }).waitFor();
});

session.step("a task opens as a read-only transcript", async (workbench) => {
  const row = workbench.treeRows(VIEW).first();
  const title = (await row.locator(".label-name").first().innerText()).slice(0, 20);
  await row.click();
  const editor = workbench.page.locator(".editor-instance .view-lines");
  await editor.getByText(title).first().waitFor();
  await workbench.page.keyboard.type("x");
  await workbench.page.getByText("Cannot edit in read-only editor").first().waitFor();
});

session.step("the palette finds a task by its words", async (workbench) => {
  await workbench.run("Subagents: Find Task");
  await workbench.quickInput.fill("build fail");
  await workbench.row("build").first().waitFor();
});

session.step("a killed sidecar comes back with the whole history", async (workbench) => {
  await workbench.page.keyboard.press("Escape");
  const [server] = await session.host.servers();
  assert.ok(server);
  process.kill(server.pid, "SIGKILL");
  await until(
    "another sidecar",
    () => session.host.servers(),
    (now) => now.length === 1 && now[0]?.pid !== server.pid,
  );
  await workbench.run("Subagents: Refresh");
  await workbench.view(VIEW).getByText(HISTORY_TASKS.toLocaleString(), { exact: true }).waitFor();
});
