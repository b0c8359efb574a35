// A set-up that fails says why and what to do, once, and continues when that is done.
import assert from "node:assert/strict";
import { join } from "node:path";

import { seriousFindings } from "../harness/accessible.ts";
import { Chat } from "../harness/chat.ts";
import { REPOSITORY } from "../harness/places.ts";
import { Session } from "../harness/session.ts";

const PYTHON = join(REPOSITORY, ".venv/bin/python");
const NOWHERE = "/nowhere/python3";

const session = new Session("failed", {
  begins: "at install",
  prepare: (profile) => profile.configure({ "subagentSidecar.pythonPath": NOWHERE }),
});

session.step("a set-up that fails says why, and what to do", async (workbench) => {
  await workbench.openSideBar("Subagents");
  const { list } = new Chat(workbench);
  const words = `The setting subagentSidecar.pythonPath is "${NOWHERE}", but the file does not exist.`;
  await list.getByRole("alert").getByText(words).waitFor();
  assert.equal(await workbench.toasts.filter({ hasText: NOWHERE }).count(), 0, "it is shown once");
  await list.getByRole("button", { name: "Select Python…" }).waitFor();
  assert.deepEqual(await seriousFindings(list), []);
});

session.step("keys alone select another interpreter, and set-up continues", async (workbench) => {
  await workbench.run("Subagents: Focus on Subagents View");
  await workbench.tabTo(new Chat(workbench).listButton("Select Python…"));
  await workbench.page.keyboard.press("Enter");
  await workbench.type(PYTHON);
  await workbench.row("activate.fish").waitFor(); // the dialog lists the folder
  await workbench.answer(PYTHON);
  await workbench.ready();
});
