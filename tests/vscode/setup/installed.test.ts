// Installed agents are offered by name until there is a subagent: by mouse and from the palette.
import assert from "node:assert/strict";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import { seriousFindings } from "../harness/accessible.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";

let definitions = "";

const session = new Session("installed", {
  prepare: async (profile) => {
    definitions = join(profile.folder, "config/subagent-sidecar/agents");
    for (const program of ["qwen", "gemini"]) {
      await profile.addProgram(program, "#!/bin/sh\nexit 1\n");
    }
  },
});

session.step("each installed agent is offered by name", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.listButton("Use Gemini CLI").waitFor();
  await chat.listButton("Use Qwen Code").waitFor();
  assert.deepEqual(await seriousFindings(chat.list), []);
});

session.step("a click makes a subagent that asks, and the composer has it", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.listButton("Use Qwen Code").click();
  await chat.picker.waitFor();
  assert.equal(await chat.picker.inputValue(), "qwen");
  const text = await readFile(join(definitions, "qwen.md"), "utf8");
  assert.match(text, /^runner: qwen$/mu);
  assert.match(text, /^permissions: ask$/mu);
});

session.step("keys alone use an agent, too", async (workbench) => {
  const chat = new Chat(workbench);
  await rm(join(definitions, "qwen.md"));
  await chat.listButton("Use Gemini CLI").waitFor();
  await workbench.run("Subagents: Focus on Subagents View");
  await workbench.tabTo(chat.listButton("Use Gemini CLI"));
  await workbench.page.keyboard.press("Enter");
  await chat.picker.waitFor();
  assert.equal(await chat.picker.inputValue(), "gemini");
});

session.step("from the palette another agent joins it, once", async (workbench) => {
  const chat = new Chat(workbench);
  for (let time = 0; time < 2; time += 1) {
    await workbench.run("Subagents: Use an Installed Agent…");
    await workbench.pick("Qwen Code");
    await chat.list.locator("#subagent option:checked", { hasText: "qwen" }).waitFor({
      state: "attached",
    });
  }
  assert.deepEqual((await readdir(definitions)).toSorted(), ["gemini.md", "qwen.md"]);
});
