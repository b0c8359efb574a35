import assert from "node:assert/strict";

import { seriousFindings } from "../harness/accessible.ts";
import { definePuppet, PUPPET, PUPPET_RUNNER } from "../harness/agents/puppets.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";

const SECOND = "understudy";
const FILES = "@src/deep/holidays.py with @src/days.py";
/** What the two of them find. */
const FIRST_RESULT = `Two days are in both files:

| Day | \`holidays.py\` | \`days.py\` |
| --- | --- | --- |
| 1 January | New Year | New Year |
| 1 May | Labor Day | – |
| 25 December | Christmas | Christmas |`;
const SECOND_RESULT = `\`days.py\` lacks one day:

- **1 January** and **25 December** are in both.
- **1 May** is only in \`holidays.py\`.`;

const session = new Session("composer", {
  prepare: async (profile, puppets) => {
    await definePuppet(profile, puppets);
    await profile.addFile(
      `.sidecar/agents/${SECOND}.md`,
      `---\nname: ${SECOND}\ndescription: Steps in.\nrunner: ${PUPPET_RUNNER}\n---\nDo as you are asked.\n`,
    );
    await profile.addFile("src/days.py", "FIRST = 1\n");
    await profile.addFile("src/deep/holidays.py", "NONE = 0\n");
    await profile.addFile("node_modules/dates/days.py", "LATE = 2\n");
  },
});

session.step("an @ offers files, and keys alone take one", async (workbench) => {
  const { keyboard } = workbench.page;
  const chat = new Chat(workbench);
  await chat.picker.selectOption(PUPPET);
  await chat.goal.click();
  await keyboard.type("Compare @DAY");
  const files = chat.list.getByRole("listbox", { name: "Files" });
  await files.getByRole("option", { name: "holidays.py" }).waitFor();
  assert.match(await files.getByRole("option").first().innerText(), /^days\.py/);
  assert.deepEqual(await seriousFindings(workbench.sideBarPage), []);
  await workbench.picture("files-are-offered");
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await files.waitFor({ state: "detached" });
  assert.equal(await chat.goal.inputValue(), "Compare @src/deep/holidays.py ");
});

session.step(
  "some letters of a name are enough, and other packages stay out",
  async (workbench) => {
    const chat = new Chat(workbench);
    const goal = await chat.goal.inputValue();
    await workbench.page.keyboard.type("@hldys");
    const files = chat.list.getByRole("listbox", { name: "Files" }).getByRole("option");
    await files.filter({ hasText: "holidays.py" }).waitFor();
    await chat.goal.fill(`${goal}@days`);
    await chat.list.getByRole("option", { name: "days.py src", exact: true }).waitFor();
    assert.equal(await files.filter({ hasText: "node_modules" }).count(), 0);
    await chat.goal.fill(goal);
  },
);

session.step("another one is taken with the mouse", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.page.keyboard.type("with @day");
  await chat.list.getByRole("option", { name: "days.py src", exact: true }).click();
  await workbench.page.keyboard.type("by date");
  assert.equal(await chat.goal.inputValue(), `Compare ${FILES} by date`);
});

session.step("two subagents get the goal at once, side by side", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.list
    .getByRole("combobox", { name: "Launch another subagent too" })
    .selectOption(SECOND);
  await chat.list.getByText("Launches 2 subagents in the same folder.").waitFor();
  assert.deepEqual(await seriousFindings(workbench.sideBarPage), []);
  await workbench.picture("two-are-chosen");
  await chat.list.getByRole("button", { name: "Launch 2", exact: true }).click();
  const puppets = [await session.puppets.next(), await session.puppets.next()];
  for (const { greeting } of puppets) {
    assert.ok(greeting.prompt.includes(`Compare ${FILES} by date`), greeting.prompt);
  }
  await workbench.page.locator(".editor-group-container").nth(1).locator(".tab").waitFor();
  assert.equal(await chat.rows.count(), 2);
  await chat.row(SECOND).waitFor();
  puppets[0]?.finish(FIRST_RESULT);
  puppets[1]?.finish(SECOND_RESULT);
  await chat.row("Completed").nth(1).waitFor();
  assert.equal(await chat.goal.inputValue(), "");
});
