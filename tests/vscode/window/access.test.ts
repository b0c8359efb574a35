import assert from "node:assert/strict";

import { seriousFindings } from "../harness/accessible.ts";
import { defineScripted, defineWithSteps, SCRIPTED } from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import { Probe } from "../harness/probe.ts";
import { Session } from "../harness/session.ts";
import { EARLIER_THEMES, THEMES, useTheme } from "../harness/themes.ts";
import type { Workbench } from "../harness/workbench.ts";

const WRITER = "writer";

const session = new Session("access", {
  prepare: async (profile) => {
    await profile.addFile("notes.txt", "Old words.\n");
    await defineScripted(profile);
    await defineWithSteps(profile, WRITER, "Keeps the notes.", [
      'think "Which file is it?"',
      'say "I change `notes.txt`. See [the manual](https://example.com) and `src/notes.py:2`."',
      'plan "+Look;*Write;Tell"',
      "usage 1200 300 0.25",
      'write notes.txt "New words."',
      'run "echo done"',
      'say "That is all."',
    ]);
    await Probe.install(profile);
  },
});

session.step("axe finds nothing serious in a list without runs", async (workbench) => {
  await new Chat(workbench).goal.waitFor();
  assert.deepEqual(await seriousFindings(workbench.sideBarPage), []);
});

session.step("nor while an agent asks, in any theme", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launch(WRITER, "Write down what changed since Monday");
  await chat.question("Make this edit?").waitFor();
  await assertAccessible(workbench);
});

session.step("nor when a run ended with changes, in any theme", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.button(/^Allow Once/).click();
  await chat.question("echo done").waitFor();
  await chat.button(/^Reject/).click();
  await chat.ending.getByText("1 file changed").waitFor();
  await assertAccessible(workbench);
});

session.step("nor in a run that failed, with a message to be written", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launchScript(SCRIPTED, ["fail 'rate limit reached'"]);
  await chat.ending.waitFor();
  await chat.button("Continue…").click();
  await assertAccessible(workbench);
});

/** Check both pages in each theme, and keep a picture of each. */
async function assertAccessible(workbench: Workbench): Promise<void> {
  const probe = new Probe(session.profile);
  const found: string[] = [];
  const pages = [workbench.sideBarPage, workbench.editorPage];
  for (const theme of [...THEMES, ...EARLIER_THEMES]) {
    await useTheme(probe, workbench, theme, pages);
    for (const page of pages) {
      found.push(...(await seriousFindings(page)).map((finding) => `${theme.name}: ${finding}`));
    }
    await workbench.picture(theme.name);
  }
  assert.deepEqual(found, []);
}
