import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { seriousFindings } from "../harness/accessible.ts";
import { equippedRunner } from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";

const AGENT = "member";
const RUNNER = "club";

let signedIn = "";

const session = new Session("sign-in", {
  prepare: async (profile) => {
    signedIn = join(profile.folder, "signed-in");
    const auth = [{ id: "login", name: "Log in", type: "terminal", args: ["--sign-in"] }];
    await profile.addFile(
      `.sidecar/agents/${AGENT}.md`,
      `---\nname: ${AGENT}\ndescription: Repeats its goal.\nrunner: ${RUNNER}\n---\nRepeat.\n`,
    );
    await profile.configure({
      "subagentSidecar.runners": { [RUNNER]: equippedRunner({ auth, signedIn }) },
    });
  },
});

session.step("a run whose agent needs a sign-in says what to do", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launch(AGENT, "Say hello");
  await chat.ending.getByText(`Sign in to ${RUNNER}, then retry.`).waitFor();
  await chat.ending.getByText("--sign-in").waitFor();
  await chat.button("Sign In…").waitFor();
  assert.deepEqual(await seriousFindings(workbench.editorPage), []);
  assert.equal(existsSync(signedIn), false);
});

session.step("Sign In… runs the agent's own command in a terminal", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.button("Sign In…").click();
  await workbench.page.locator(".terminal-wrapper.active").waitFor();
  await until(
    "signed in",
    () => Promise.resolve(existsSync(signedIn)),
    (isSignedIn) => isSignedIn,
  );
});

session.step("keys alone retry, which launches the same goal again", async (workbench) => {
  const chat = new Chat(workbench);
  await workbench.run("Subagents: Focus on Subagents View");
  await workbench.tabTo(chat.rows.first());
  await workbench.page.keyboard.press("Enter");
  await workbench.tabTo(chat.button("Retry"));
  await workbench.page.keyboard.press("Enter");
  await chat.state("Completed").waitFor();
  await chat.messages.getByText("Say hello").waitFor();
});

session.step("the palette offers the agents that can sign in", async (workbench) => {
  await workbench.run("Subagents: Sign In to an Agent");
  await workbench.row(RUNNER).first().waitFor();
  await workbench.page.keyboard.press("Escape");
});
