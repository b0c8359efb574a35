// Conversations in the side bar, for those who prefer them there, with their search.
import assert from "node:assert/strict";
import { join } from "node:path";

import { seriousFindings } from "../harness/accessible.ts";
import { Chat } from "../harness/chat.ts";
import { storeTexts } from "../harness/history.ts";
import { Probe } from "../harness/probe.ts";
import { Session } from "../harness/session.ts";
import { THEMES, useTheme } from "../harness/themes.ts";
import type { Workbench } from "../harness/workbench.ts";

const TASK = { id: "5e8d1b7a-2c34-4f60-8b19-7a6c5d4e3f21", title: "Tune the piano" };

const session = new Session("side-bar", {
  prepare: async (profile) => {
    const storageRoot = join(profile.folder, "store");
    const texts = Array.from({ length: 40 }, (_, at) => `Key ${at} is in tune now.`);
    await storeTexts(storageRoot, TASK.id, [TASK.title, ...texts, "One string is cracked."]);
    await profile.configure({
      "subagentSidecar.storageRoot": storageRoot,
      "subagentSidecar.conversations": "sideBar",
    });
    await Probe.install(profile);
  },
});

session.step("a conversation opens in place of the list", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.listButton("Show 1 task of other workspaces").click();
  await chat.row(TASK.title).click();
  await chat.list.getByText("One string is cracked.").waitFor();
  assert.equal(await workbench.page.locator(".editor-instance").count(), 0);
});

session.step("Ctrl+F searches it there, in every theme", async (workbench) => {
  const { list } = new Chat(workbench);
  await workbench.run("File: Compare New Untitled Text Files");
  await workbench.focusedEditor.waitFor();
  await list.getByRole("log").focus();
  await workbench.page.keyboard.press("Control+F");
  const field = list.getByRole("textbox", { name: "Find" });
  await field.fill("cracked");
  await list.locator(".find-count", { hasText: "1 of 1" }).waitFor();
  const probe = new Probe(session.profile);
  for (const theme of THEMES) {
    await useTheme(probe, workbench, theme);
    await workbench.picture(`find-${theme.name}`);
    assert.deepEqual(await seriousFindings(list), [], theme.name);
  }
  assert.equal(await editorSearch(workbench).count(), 0);
});

session.step("Escape closes the search, and Back leads to the list", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.list.getByRole("textbox", { name: "Find" }).press("Escape");
  await chat.list.getByRole("textbox", { name: "Find" }).waitFor({ state: "detached" });
  await chat.listButton("Back to all conversations").click();
  await chat.row(TASK.title).waitFor();
});

session.step("where the list is, Ctrl+F filters it", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.row(TASK.title).focus();
  await workbench.page.keyboard.press("Control+F");
  await workbench.answer("no such task");
  assert.equal(await editorSearch(workbench).count(), 0);
  await chat.row(TASK.title).waitFor({ state: "detached" });
  await chat.listButton("Clear Filter").click();
  await chat.row(TASK.title).waitFor();
});

/** The search of a text editor that is open. */
function editorSearch(workbench: Workbench) {
  return workbench.page.locator(".find-widget.visible");
}
