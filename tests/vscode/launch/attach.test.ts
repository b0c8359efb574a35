import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Locator } from "playwright-core";

import { seriousFindings } from "../harness/accessible.ts";
import { equippedRunner } from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";

const EQUIPPED = "equipped";
const OFFERS = { capabilities: { promptCapabilities: { image: true } } };

const session = new Session("attach", {
  prepare: async (profile) => {
    await profile.addFile(
      `.sidecar/agents/${EQUIPPED}.md`,
      `---\nname: ${EQUIPPED}\ndescription: Repeats its goal.\nrunner: offers\n---\nRepeat.\n`,
    );
    await profile.addFile("days off.md", "one\ntwo\nthree\n");
    await profile.addFile("notes.md", "Notes.\n");
    await profile.configure({ "subagentSidecar.runners": { offers: equippedRunner(OFFERS) } });
  },
});

function attached(chat: Chat): Locator {
  return chat.list.getByRole("list", { name: "Attached files" }).getByRole("listitem");
}

session.step("Attach… offers the files of the machine", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.picker.selectOption(EQUIPPED);
  await chat.listButton("Attach…").click();
  await workbench.row("notes.md").waitFor();
  await workbench.row("days off.md").click();
  await attached(chat).getByText("days off.md").waitFor();
});

session.step("an image is pasted into the goal", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.page.evaluate(async () => {
    const canvas = new OffscreenCanvas(4, 4);
    canvas.getContext("2d")?.fillRect(0, 0, 4, 4);
    const image = await canvas.convertToBlob({ type: "image/png" });
    await navigator.clipboard.write([new ClipboardItem({ "image/png": image })]);
  });
  await chat.goal.click();
  await workbench.page.keyboard.press("Control+V");
  await attached(chat).getByText("image.png").waitFor();
  assert.equal(await chat.goal.inputValue(), "");
});

session.step(
  "a file of the editor is dropped on the goal, and removed again",
  async (workbench) => {
    const chat = new Chat(workbench);
    const uri = `vscode-remote://${new URL(session.host.url).host}${session.profile.workspace}/notes.md`;
    await chat.goal.evaluate((goal, list) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData("application/vnd.code.uri-list", list);
      goal.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }, uri);
    await attached(chat).getByText("notes.md").waitFor();
    assert.deepEqual(await seriousFindings(workbench.sideBarPage), []);
    await workbench.picture("three-are-attached");
    await chat.listButton("Remove notes.md").click();
    await attached(chat).getByText("notes.md").waitFor({ state: "detached" });
  },
);

session.step("the agent gets them with the goal", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launch(EQUIPPED, "Compare both");
  await chat.state("Completed").waitFor();
  const requests = await readFile(join(session.profile.workspace, "requests.jsonl"), "utf8");
  assert.match(requests, /days%20off\.md/u);
  assert.match(requests, /"mimeType": "image\/png"/u);
  assert.equal(await attached(chat).count(), 0);
});

session.step("the selected lines of a file are added to the goal", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.goal.fill("Explain");
  await workbench.run("Go to File...");
  await workbench.type("days off");
  await workbench.row("days off.md").first().click();
  await workbench.focusedEditor.waitFor();
  await workbench.page.keyboard.press("Control+Home");
  await workbench.page.keyboard.press("Shift+ArrowDown");
  await workbench.page.keyboard.press("Shift+ArrowDown");
  await workbench.run("Subagents: Add Selection to Composer");
  await chat.list.locator("#goal:focus").waitFor();
  await until(
    "the lines in the goal",
    () => chat.goal.inputValue(),
    (goal) => goal === 'Explain @"days off.md"#L1-L2 ',
  );
});
