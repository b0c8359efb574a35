import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { seriousFindings } from "../harness/accessible.ts";
import { equippedRunner } from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";

const EQUIPPED = "equipped";

/** A config option of a session; its first value is in force at first. */
function option(id: string, category: string, values: readonly string[]) {
  const options = values.map((value) => ({ value, name: value }));
  return { id, name: id, category, type: "select", currentValue: values[0], options };
}

const OFFERS = {
  capabilities: { promptCapabilities: { image: true } },
  commands: [
    { name: "init", description: "Describes the workspace in a file." },
    { name: "review", description: "Reviews the changes.", input: { hint: "[branch]" } },
    { name: "review-security", description: "Looks for ways in." },
  ],
  session: {
    configOptions: [
      option("m", "model", ["claude-haiku-4-5", "claude-opus-4-8"]),
      option("e", "thought_level", ["low", "medium", "high"]),
      option("mode", "mode", ["default", "plan", "acceptEdits"]),
    ],
  },
};

const session = new Session("equipment", {
  prepare: async (profile) => {
    await profile.addFile(
      `.sidecar/agents/${EQUIPPED}.md`,
      `---\nname: ${EQUIPPED}\ndescription: Repeats its goal.\nrunner: offers\n---\nRepeat.\n`,
    );
    await profile.addFile("shot.png", "GIF89a");
    await profile.configure({ "subagentSidecar.runners": { offers: equippedRunner(OFFERS) } });
  },
});

session.step("nothing is to be chosen before the agent has run", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.picker.waitFor();
  assert.equal(await chat.list.getByRole("combobox", { name: "Model" }).count(), 0);
  await chat.launch(EQUIPPED, "Say hello");
  await chat.state("Completed").waitFor();
  assert.equal(await chat.list.getByRole("combobox", { name: "Placement" }).count(), 0); // no fleet
});

session.step("model, mode and effort are chosen by key and by mouse", async (workbench) => {
  const chat = new Chat(workbench);
  const model = chat.list.getByRole("combobox", { name: "Model" });
  await model.waitFor();
  await model.focus();
  await workbench.page.keyboard.press("c"); // the first that begins so
  await workbench.page.keyboard.press("ArrowDown");
  assert.equal(await model.inputValue(), "claude-opus-4-8");
  await chat.list.getByRole("combobox", { name: "Mode", exact: true }).selectOption("plan");
  await chat.list.getByRole("combobox", { name: "Effort" }).selectOption("high");
  assert.deepEqual(await seriousFindings(workbench.sideBarPage), []);
});

session.step("the run is launched with them, and says what is in force", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launch(EQUIPPED, "Say good night");
  const head = chat.frame.locator(".head-facts");
  for (const words of ["claude-opus-4-8", "high effort", "plan mode"]) {
    await head.getByText(words, { exact: true }).waitFor();
  }
  await chat.row("claude-opus-4-8").waitFor();
});

session.step("a slash offers the agent's commands, and keys alone take one", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.goal.click();
  await workbench.page.keyboard.type("/rev");
  const commands = chat.list.getByRole("listbox", { name: "Commands" });
  await commands.getByRole("option", { name: "/review-security" }).waitFor();
  assert.equal(await commands.getByRole("option").count(), 2);
  assert.deepEqual(await seriousFindings(workbench.sideBarPage), []);
  await workbench.picture("commands-are-offered");
  await workbench.page.keyboard.press("ArrowDown");
  await workbench.page.keyboard.press("Tab");
  await workbench.page.keyboard.type("now");
  assert.equal(await chat.goal.inputValue(), "/review-security now");
  await workbench.page.keyboard.press("Enter");
  await chat.messages.getByText("/review-security now").waitFor();
});

session.step("an image that the goal names is attached", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launch(EQUIPPED, "Describe @shot.png");
  await chat.state("Completed").waitFor();
  const requests = await readFile(join(session.profile.workspace, "requests.jsonl"), "utf8");
  assert.match(requests.split("\n").at(-2) ?? "", /"data": "R0lGODlh"/u);
});

session.step("they are remembered for the next launch, even after a reload", async (workbench) => {
  await workbench.reload(); // the side bar opens by itself
  const model = workbench.sideBarPage.getByRole("combobox", { name: "Model" });
  await model.waitFor();
  assert.equal(await model.inputValue(), "claude-opus-4-8");
});
