// Code in messages is applied to its file, shown as a change, and saved by the user only.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { seriousFindings } from "../harness/accessible.ts";
import { Chat } from "../harness/chat.ts";
import { storeTexts } from "../harness/history.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";
import type { Workbench } from "../harness/workbench.ts";

const TASK = { id: "4d0b6e28-75cf-4a1b-8b32-6c8d9e0fa123", title: "Explain the total" };
const FILE = "src/prices.py";
const BEFORE = "def total(items):\n    return sum(items)\n\n\ndef other():\n    pass\n";
const CODE = "def total(items):\n    # The discount is for all.\n    return sum(items)";
const DIFF = "--- /dev/null\n+++ b/notes.txt\n@@ -0,0 +1 @@\n+Discounts are for all.";
const APPLY = "Apply the code to its file, without saving it";

const session = new Session("apply", {
  prepare: async (profile) => {
    const storageRoot = join(profile.folder, "store");
    const answer = [
      ...["In `src/prices.py`:", `**${FILE}**`, `\`\`\`python\n${CODE}\n\`\`\``],
      ...["A new file:", `\`\`\`diff\n${DIFF}\n\`\`\``],
      ...["Elsewhere:", "`../other.py`", "```python\npass\n```"],
    ];
    await storeTexts(storageRoot, TASK.id, [TASK.title, answer.join("\n\n")], "completion_result");
    await profile.addFile(FILE, BEFORE);
    await profile.configure({ "subagentSidecar.storageRoot": storageRoot });
    await profile.prefer({
      "files.autoSave": "off", // the default of a browser is to save after a second
    });
  },
});

// docs/extension.md shows its picture as docs/images/apply.png.
session.step("code comes to its place, and the editor shows the change", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.listButton("Show 1 task of other workspaces").click();
  await chat.row(TASK.title).click();
  await chat.button(APPLY).first().waitFor();
  assert.deepEqual(await seriousFindings(workbench.editorPage), []);
  await chat.button(APPLY).first().click();
  const changed = workbench.page.locator(".monaco-diff-editor .modified .view-lines");
  await changed.getByText("The discount is for all.").waitFor();
  assert.equal(await chat.log.isVisible(), true, "the conversation is next to it");
  assert.equal(await readFile(join(session.profile.workspace, FILE), "utf8"), BEFORE);
});

session.step("saving keeps it", async (workbench) => {
  await workbench.page.keyboard.press("Control+S");
  const saved = await until(
    "saved",
    () => readFile(join(session.profile.workspace, FILE), "utf8"),
    (text) => text !== BEFORE,
  );
  assert.equal(saved, BEFORE.replace("    return", "    # The discount is for all.\n    return"));
});

session.step("by keys, a diff makes a new file that is not saved", async (workbench) => {
  const chat = await inConversation(workbench);
  await workbench.tabTo(chat.button(APPLY).nth(1));
  await workbench.page.keyboard.press("Enter");
  await workbench.page.locator(".view-lines", { hasText: "Discounts are for all." }).waitFor();
  assert.equal(existsSync(join(session.profile.workspace, "notes.txt")), false);
});

session.step("a file outside of the workspace is refused", async (workbench) => {
  const chat = await inConversation(workbench);
  await chat.button(APPLY).nth(2).click();
  await workbench.toast(/^\.\.\/other\.py is not in this workspace/);
});

async function inConversation(workbench: Workbench): Promise<Chat> {
  const chat = new Chat(workbench);
  await workbench.page.locator(".tab", { hasText: TASK.title }).click();
  await chat.log.focus();
  return chat;
}
