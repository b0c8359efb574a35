// The changes of a run are reviewed while its agent works, and what it does next joins them.
import assert from "node:assert/strict";

import { seriousFindings } from "../harness/accessible.ts";
import { defineScripted, SCRIPTED } from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";
import type { Workbench } from "../harness/workbench.ts";

const CHANGES = `Changes by ${SCRIPTED}`;
const GOAL = 'write one.txt "The first."';

const session = new Session("review", {
  prepare: async (profile) => {
    await defineScripted(profile);
  },
});

session.step("Review Changes shows what was changed until now", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launchScript(SCRIPTED, [
    GOAL,
    'write two.txt "The second."',
    'write one.txt "The first again."',
    'say "That is all."',
  ]);
  await chat.question("Make this edit?").waitFor();
  await allow(workbench);
  await chat.log.getByText("Write two.txt").waitFor();
  await workbench.run("Subagents: Review Changes");
  await changed(workbench, "The first.").waitFor();
  assert.equal(await changed(workbench, "The second.").count(), 0);
});

session.step("a file that the agent changes next joins them", async (workbench) => {
  await allow(workbench);
  await workbench.page.locator(".tab", { hasText: CHANGES }).click();
  await changed(workbench, "The second.").waitFor();
  await changed(workbench, "The first.").waitFor();
  await until(
    "one editor with changes",
    () => workbench.page.locator(".tab", { hasText: CHANGES }).count(),
    (count) => count === 1,
  );
});

session.step("keys alone lead from the row to the changes", async (workbench) => {
  const { keyboard } = workbench.page;
  const chat = new Chat(workbench);
  await workbench.run("View: Close All Editors");
  await workbench.run("Subagents: Focus on Subagents View");
  await workbench.tabTo(chat.rows.first());
  await keyboard.press("Enter");
  await chat.question("Make this edit?").waitFor();
  await workbench.run("Subagents: Focus on Subagents View");
  await workbench.tabTo(chat.rows.first());
  await workbench.tabTo(chat.listButton(/^Review Changes: /));
  await keyboard.press("Enter");
  await changed(workbench, "The second.").waitFor();
});

session.step("another change of a file is shown in its place", async (workbench) => {
  await allow(workbench);
  await workbench.page.locator(".tab", { hasText: CHANGES }).click();
  await changed(workbench, "The first again.").waitFor();
  assert.equal(await changed(workbench, /^The first\.$/).count(), 0);
});

session.step("the row of a run leads to its changes, too", async (workbench) => {
  await workbench.run("View: Close All Editors");
  const chat = new Chat(workbench);
  await workbench.chooseFromMenu(chat.rows.first(), "Review Changes");
  await changed(workbench, "The first again.").waitFor();
  assert.deepEqual(await seriousFindings(chat.list), []);
});

/** The new text of a file in the editor with changes. */
function changed({ page }: Workbench, text: string | RegExp) {
  return page.locator(".modified .view-line").getByText(text);
}

/** Allow what the agent asks, in its conversation. */
async function allow({ page, editorPage }: Workbench): Promise<void> {
  await page.locator(".tab", { hasText: GOAL }).first().click();
  await editorPage.getByRole("button", { name: /^Allow Once/ }).click();
}
