// The changes of a run are reviewed while its agent works: by keyboard, and what it does next joins them.
import assert from "node:assert/strict";

import { seriousFindings } from "../harness/accessible.ts";
import { defineScripted, SCRIPTED } from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";
import type { Workbench } from "../harness/workbench.ts";

const session = new Session("review", {
  prepare: async (profile) => {
    await defineScripted(profile);
  },
});

session.step("Review Changes shows what was changed until now", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launchScript(SCRIPTED, [
    'write one.txt "The first."',
    'write two.txt "The second."',
    'write one.txt "The first again."',
    'say "That is all."',
  ]);
  await chat.question("Make this edit?").waitFor();
  await allow(workbench);
  await chat.frame.getByText("two.txt").first().waitFor();
  await workbench.run("Subagents: Review Changes");
  await changed(workbench, "The first.").waitFor();
  assert.equal(await changed(workbench, "The second.").count(), 0);
});

session.step("a file that the agent changes next joins them", async (workbench) => {
  await allow(workbench);
  await changed(workbench, "The second.").waitFor();
  await changed(workbench, "The first.").waitFor();
  await until(
    "one editor with changes",
    () => workbench.page.locator(".tab", { hasText: `Changes by ${SCRIPTED}` }).count(),
    (count) => count === 1,
  );
});

session.step("another change of a file is shown in its place", async (workbench) => {
  await allow(workbench);
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

/** Allow what the agent asks, by keyboard and without leaving the editor. */
async function allow(workbench: Workbench): Promise<void> {
  await workbench.run("Subagents: Answer Question");
  await workbench.pick("Allow Once");
}
