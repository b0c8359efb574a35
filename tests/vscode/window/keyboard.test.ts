import assert from "node:assert/strict";

import type { FrameLocator } from "playwright-core";

import { definePuppet, PUPPET } from "../harness/agents/puppets.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";
import { within } from "../harness/waiting.ts";
import type { Workbench } from "../harness/workbench.ts";

const session = new Session("keyboard", { prepare: definePuppet });

session.step("keys alone launch a subagent from the panel", async (workbench) => {
  const { keyboard } = workbench.page;
  const chat = new Chat(workbench);
  await workbench.run("Subagents: Focus on Subagents View");
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

session.step(
  "a command leads to the list, arrows move in it, and Enter opens",
  async (workbench) => {
    const { keyboard } = workbench.page;
    const chat = new Chat(workbench);
    await workbench.run("View: Close All Editors");
    await workbench.run("Subagents: Focus on Subagents View");
    await workbench.tabTo(chat.rows.first());
    await keyboard.press("ArrowUp");
    await keyboard.press("ArrowLeft");
    await chat.rows.first().waitFor({ state: "detached" });
    await keyboard.press("ArrowRight");
    await chat.rows.first().waitFor();
    await keyboard.press("ArrowDown");
    await keyboard.press("Enter");
    await chat.ending.waitFor();
  },
);

session.step("the palette opens although its key is lost once", async (workbench) => {
  await workbench.page.evaluate(() => {
    const lose = (event: Event): void => {
      event.stopImmediatePropagation();
    };
    globalThis.addEventListener("keydown", lose, { capture: true, once: true });
  });
  await workbench.run("View: Close All Editors");
});

session.step("a chord leads to the list, from anywhere", async (workbench) => {
  const { keyboard } = workbench.page;
  await workbench.run("View: Close All Editors");
  await workbench.openSideBar("Explorer");
  await keyboard.press("Control+K");
  await keyboard.press("a");
  await workbench.tabTo(new Chat(workbench).goal);
});

session.step(
  "the list has the focus at once, and again after a name was typed",
  async (workbench) => {
    const { keyboard } = workbench.page;
    const focused = new Chat(workbench).list.locator(".agent:focus");
    await workbench.openSideBar("Explorer");
    await keyboard.press("Control+K");
    await keyboard.press("a");
    await focused.waitFor();
    await keyboard.press("F2");
    await workbench.answer("Sing by heart");
    await focused.getByText("Sing by heart").waitFor();
    await keyboard.press("F2");
    await workbench.answer("");
    await focused.getByText("Sing without a mouse").waitFor();
  },
);

session.step("a chord in the composer types nothing", async (workbench) => {
  const { keyboard } = workbench.page;
  const chat = new Chat(workbench);
  await workbench.tabTo(chat.goal);
  await keyboard.type("Hum");
  await keyboard.press("Control+K");
  await keyboard.press("a");
  await workbench.tabTo(chat.goal);
  assert.equal(await chat.goal.inputValue(), "Hum");
  await chat.goal.fill("");
});

session.step("another chord asks what to launch", async (workbench) => {
  const { keyboard } = workbench.page;
  await keyboard.press("Control+K");
  await keyboard.press("g");
  await workbench.row(PUPPET).waitFor();
  await keyboard.press("Escape");
});

session.step("keys alone open a transcript", async (workbench) => {
  const { keyboard } = workbench.page;
  await workbench.run("Subagents: Open Transcript");
  await workbench.pick("Sing without a mouse");
  await workbench.page.locator(".view-lines").getByText("La la la").waitFor();
  await keyboard.press("Escape");
});

session.step("everything in both pages that can be used has a name", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.run("View: Close All Editors");
  await workbench.run("Subagents: Focus on Subagents View");
  await workbench.tabTo(chat.rows.first()); // its buttons show with the focus
  assert.ok((await assertNamed(chat.list)) > 5);
  await workbench.page.keyboard.press("Enter");
  await chat.ending.waitFor();
  await chat.frame.locator("summary").last().click(); // the rest of what can be done
  assert.ok((await assertNamed(chat.frame)) > 3);
});

session.step("keys alone continue it from its card", async (workbench) => {
  const { keyboard } = workbench.page;
  const chat = new Chat(workbench);
  await workbench.run("Subagents: Focus on Subagents View");
  await workbench.tabTo(chat.rows.first());
  await keyboard.press("Enter");
  await workbench.tabTo(chat.button("Continue…"));
  await keyboard.press("Enter");
  await workbench.tabTo(chat.message);
  await keyboard.type("Sing it louder");
  await keyboard.press("Enter");
  await session.puppets.next();
  await chat.state("Running").waitFor();
});

session.step("in the list, Delete cancels the one at work", async (workbench) => {
  const chat = await atFirstRow(workbench);
  await workbench.page.keyboard.press("Delete");
  await chat.row("Running").waitFor({ state: "detached" });
});

session.step("Tab leads to the buttons of a row", async (workbench) => {
  const { keyboard } = workbench.page;
  const chat = await atFirstRow(workbench);
  await workbench.tabTo(chat.listButton(/^Pin: /).first());
  await keyboard.press("Enter");
  await chat.listButton(/^Unpin: /).waitFor();
});

session.step("Shift+F10 opens the menu of a row", async (workbench) => {
  const { keyboard } = workbench.page;
  await atFirstRow(workbench);
  await keyboard.press("Shift+F10");
  await workbench.page.getByRole("menuitem", { name: "Unpin Task" }).waitFor();
  await workbench.picture("the-menu-of-a-row");
  await keyboard.press("Escape");
});

/** Go to the first row of the list by keys. */
async function atFirstRow(workbench: Workbench): Promise<Chat> {
  const chat = new Chat(workbench);
  await workbench.run("Subagents: Focus on Subagents View");
  await workbench.tabTo(chat.list.locator("#list [tabindex='0']").first());
  await workbench.page.keyboard.press("Home");
  await workbench.page.keyboard.press("ArrowDown");
  await chat.list.locator(".agent:focus").waitFor();
  return chat;
}

/** Check what can be seen and used in a page; return how much that is. */
async function assertNamed(page: FrameLocator): Promise<number> {
  const controls = page.locator("button, select, summary, textarea, [tabindex='0']");
  const seen = await controls.filter({ visible: true }).all();
  for (const control of seen) {
    const snapshot = await control.ariaSnapshot();
    assert.match(snapshot, /".+"/, `${control.toString()}: ${snapshot}`);
  }
  return seen.length;
}
