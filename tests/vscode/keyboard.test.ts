import assert from "node:assert/strict";

import { Chat } from "./harness/chat.ts";
import { Session } from "./harness/session.ts";
import { definePuppet } from "./harness/subagents.ts";
import { within } from "./harness/waiting.ts";

const session = new Session("keyboard", { prepare: definePuppet });

session.step("keys alone launch a subagent from the panel", async (workbench) => {
  const { keyboard } = workbench.page;
  const chat = new Chat(workbench);
  await workbench.run("Subagents: Focus on Chat View");
  await chat.goal.waitFor();
  await workbench.tabTo(chat.goal);
  await keyboard.type("Sing without a mouse");
  await keyboard.press("Enter");
  await chat.state("Running").waitFor();
});

session.step("keys alone cancel it", async (workbench) => {
  const chat = new Chat(workbench);
  const puppet = await session.puppets.next();
  puppet.say("La la la");
  await chat.says("La la la");
  await workbench.tabTo(chat.button("Cancel"));
  await workbench.page.keyboard.press("Enter");
  await chat.state("Cancelled").waitFor();
  await within("the subagent's end", puppet.gone);
});

session.step("Escape leads back to the list, arrows and Enter into it", async (workbench) => {
  const { keyboard } = workbench.page;
  const chat = new Chat(workbench);
  await keyboard.press("Escape");
  await chat.conversations.first().waitFor();
  await workbench.tabTo(chat.conversations.first());
  await keyboard.press("Enter");
  await chat.ending.waitFor();
});

session.step("keys alone open a transcript from the history", async (workbench) => {
  const { keyboard } = workbench.page;
  await workbench.run("Subagents: Focus on Task History View");
  const view = workbench.view("Task History");
  await workbench.treeRows("Task History").first().waitFor();
  await view.locator(".monaco-list:focus").waitFor();
  await keyboard.press("ArrowDown");
  await view.locator(".monaco-list-row.focused").waitFor();
  await keyboard.press("Enter");
  await workbench.page.locator(".view-lines").getByText("La la la").waitFor();
});

session.step("everything in the panel that can be used has a name", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.run("Subagents: Focus on Chat View");
  const nameless = chat.frame.locator("button, select, textarea, [tabindex='0']");
  for (const control of await nameless.all()) {
    const snapshot = await control.ariaSnapshot();
    assert.match(snapshot, /".+"/, snapshot);
  }
});
