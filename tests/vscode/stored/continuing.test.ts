// The history is sorted, and another agent continues a stored task: by mouse, and by keys alone.
import assert from "node:assert/strict";
import { join } from "node:path";

import { SCRIPTS_RUNNER } from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import { storeTexts } from "../harness/history.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";

const OLDER = { id: "6f9e2c8b-3d45-4a71-9c2a-8b7d6e5f4a32", title: "Water the plants" };
const NEWER = { id: "7a0f3d9c-4e56-4b82-8d3b-9c8e7f6a5b43", title: "Air the rooms" };
const SUCCESSOR = "gardener";

const session = new Session("continuing", {
  prepare: async (profile) => {
    const storageRoot = join(profile.folder, "store");
    for (const { id, title } of [NEWER, OLDER]) {
      await storeTexts(storageRoot, id, [title, `Half of it is done: ${title.toLowerCase()}.`]);
    }
    const head = ["---", `name: ${SUCCESSOR}`, "description: Continues.", "runner: scripts", "---"];
    const steps = ['say "The rest is done."', ""];
    await profile.addFile(`.sidecar/agents/${SUCCESSOR}.md`, [...head, ...steps].join("\n"));
    await profile.configure({
      "subagentSidecar.storageRoot": storageRoot,
      "subagentSidecar.runners": { scripts: SCRIPTS_RUNNER },
    });
  },
});

session.step("the history is sorted by title from the palette", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.listButton("Show 2 tasks of other workspaces").click();
  await chat.row(OLDER.title).waitFor();
  await workbench.run("Subagents: Sort History By…");
  await workbench.pick("Title");
  await chat.list.getByText("History by Title").waitFor();
  const titles = await until(
    "both tasks",
    () => chat.rows.allInnerTexts(),
    (rows) => rows.length === 2,
  );
  assert.match(titles[0] ?? "", new RegExp(NEWER.title, "u"));
  assert.match(titles[1] ?? "", new RegExp(OLDER.title, "u"));
});

session.step("another agent continues a stored task", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.row(OLDER.title).click();
  await chat.button("Continue With…").click();
  await until(
    "the old goal in the composer",
    () => chat.goal.inputValue(),
    (goal) => goal.includes(OLDER.title) && goal.includes("Half of it is done"),
  );
  await chat.picker.selectOption(SUCCESSOR);
  await chat.listButton("Launch").click();
  await chat.says("The rest is done.");
  await chat.ending.waitFor();
});

session.step("by keys alone, too", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.row(NEWER.title).focus();
  await workbench.page.keyboard.press("Enter");
  await chat.messages.getByText("air the rooms").waitFor();
  await workbench.tabTo(chat.button("Continue With…"));
  await workbench.page.keyboard.press("Enter");
  await until(
    "the other goal in the composer",
    () => chat.goal.inputValue(),
    (goal) => goal.includes(NEWER.title),
  );
  await chat.goal.and(workbench.sideBarPage.locator(":focus")).waitFor();
  await workbench.page.keyboard.press("Enter");
  await chat.says("The rest is done.");
});
