import assert from "node:assert/strict";

import type { Locator } from "playwright-core";

import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";
import type { Workbench } from "../harness/workbench.ts";

const TITLE = "Get Started with Subagents";

const session = new Session("walkthrough");

function walkthrough({ page }: Workbench): Locator {
  return page.locator(".gettingStartedContainer").filter({ hasText: TITLE });
}

/** Open the step with this title, and select its button. */
async function select(workbench: Workbench, step: string, button: string): Promise<void> {
  await workbench.run("Subagents: Get Started");
  await walkthrough(workbench).locator(".getting-started-step", { hasText: step }).click();
  await walkthrough(workbench).getByRole("button", { name: button, exact: true }).click();
}

session.step("nothing opens by itself", async (workbench) => {
  await new Chat(workbench).listButton("Run an Example").waitFor();
  assert.equal(await walkthrough(workbench).count(), 0);
});

session.step("Get Started shows five steps", async (workbench) => {
  await workbench.run("Subagents: Get Started");
  await walkthrough(workbench).waitFor();
  assert.equal(await walkthrough(workbench).locator(".getting-started-step").count(), 5);
});

session.step("a step leads to the name of a new definition", async (workbench) => {
  await select(workbench, "Define a subagent", "New Subagent Definition…");
  await workbench.quickInput.waitFor();
  await workbench.page.keyboard.press("Escape");
});

session.step("a step leads to the search of the history", async (workbench) => {
  await select(workbench, "Find what you did before", "Search Task History…");
  await workbench.page.getByPlaceholder(/^Words, an ID/u).waitFor();
  await workbench.page.keyboard.press("Escape");
});

session.step("a step runs the example", async (workbench) => {
  await select(workbench, "Watch an example", "Run an Example");
  await new Chat(workbench).list.getByText("Needs you").waitFor();
});
