import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { definePuppet, PUPPET } from "../harness/agents/puppets.ts";
import { Chat } from "../harness/chat.ts";
import { storeTexts } from "../harness/history.ts";
import { Probe } from "../harness/probe.ts";
import { Session } from "../harness/session.ts";

/** A folder's name that is markup, turns the direction of text, and is as long as one can be. */
const HOSTILE_NAME = `<img src=x onerror=alert(1)>\u202e\u0007[a](b) \`c\` ${"x".repeat(150)}`;
const TASK_ID = "5a1e7c3d-2b4f-4c6a-8d90-1e2f3a4b5c6d";
/** The title is cut off in the middle, which is a finding. */
const CUT_FILE = `[{"ts": 1776000000000, "type": "say", "say": "text", "text": "Guard the gate"},`;

/** Store a damaged task under a name that nobody should trust. */
async function storeHostileTask(root: string): Promise<void> {
  const folder = join(root, "tasks", TASK_ID);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "ui_messages.json"), CUT_FILE);
}

/** A task with code for a file. */
const CODED = { id: "5a1e7c3d-2b4f-4c6a-8d90-1e2f3a4b5c6e", title: "Open the gate" };

const session = new Session("restricted", {
  prepare: async (profile, puppets) => {
    const root = join(profile.folder, HOSTILE_NAME);
    await storeHostileTask(root);
    const other = join(profile.folder, "other");
    await storeTexts(other, CODED.id, [CODED.title, "`gate.py`\n\n```python\nopened = True\n```"]);
    await definePuppet(profile, puppets, { "subagentSidecar.foreignRoots": [root, other] });
    await Probe.install(profile);
  },
  trustsAll: false,
});

session.step("Restricted Mode says that nothing can be launched, and why", async (workbench) => {
  await workbench.statusItem("Restricted Mode").waitFor();
  const { list: frame } = new Chat(workbench);
  await frame.getByText("Workspace subagents are disabled").waitFor();
  await frame.getByRole("button", { name: "Manage Workspace Trust" }).waitFor();
});

session.step("the palette does not offer what is refused", async (workbench) => {
  await workbench.page.keyboard.press("F1");
  await workbench.quickInput.fill(">Subagents: Launch");
  await workbench
    .row("No matching results")
    .or(workbench.row("similar commands"))
    .first()
    .waitFor();
  assert.equal(await workbench.row("Launch Subagent").count(), 0);
  await workbench.page.keyboard.press("Escape");
});

session.step("the history can be searched, checked and added up", async (workbench) => {
  await workbench.run("Subagents: Search Task History");
  await workbench.type("status:nonsense");
  await workbench.row("At character 8").waitFor();
  await workbench.page.keyboard.press("Escape");
  await workbench.run("Subagents: Diagnose Task History");
  const check = await workbench.renderedPage("Task History Diagnosis");
  await check.getByText(/^1 problem found\./).waitFor();
  await check.getByText("<img src=x onerror=alert(1)> [a](b) `c` xxx").first().waitFor();
  assert.equal(await check.locator("img, script, a[href^=http]").count(), 0);
  assert.doesNotMatch(await check.locator("main").innerText(), /[\u202e\u0007]/u);
  await workbench.picture("a-hostile-diagnosis");
  await check.getByRole("link", { name: "Guard the gate" }).first().click();
  await new Chat(workbench).says("Guard the gate");
  await workbench.run("Subagents: Show Usage Totals");
  await workbench.renderedPage("Usage Totals");
  await workbench.run("View: Close All Editors");
});

session.step("code in a message is not applied", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.listButton(/^Show \d+ tasks? of other workspaces/).click();
  await chat.row(CODED.title).click();
  await chat.button("Apply the code to its file").click();
  await workbench.toast("Code can't be applied in Restricted Mode. Trust the workspace first.");
  assert.equal(existsSync(join(session.profile.workspace, "gate.py")), false);
  await workbench.run("View: Close All Editors");
});

session.step("models can use no tool", async () => {
  const probe = new Probe(session.profile);
  const input = { subagent_name: PUPPET, goal_prompt: "Do it", async: true };
  await assert.rejects(probe.invokeTool("check_async_tasks", {}), /Restricted Mode/);
  await assert.rejects(probe.invokeTool("task", input), /Restricted Mode/);
});

session.step("trust lets the workspace's own subagent run", async (workbench) => {
  await workbench.statusItem("Restricted Mode").click();
  await workbench.page.getByRole("button", { name: "Trust", exact: true }).click();
  await workbench.page
    .locator('.monaco-modal-editor-block a.action-label[aria-label^="Close"]')
    .click();
  const chat = new Chat(workbench);
  await chat.launch(PUPPET, "Say that you are free");
  const puppet = await session.puppets.next();
  puppet.finish("I am free.");
  await chat.ending.getByText("I am free.").waitFor();
});
