import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { definePuppet, PUPPET, PUPPET_RUNNER, type Puppet } from "../harness/agents/puppets.ts";
import { defineScripted, defineWithSteps, SCRIPTS_RUNNER } from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";
import { SLOWNESS, until, within } from "../harness/waiting.ts";
import type { Workbench } from "../harness/workbench.ts";

/** A new environment is created meanwhile. */
const REINSTALL_MS = 90_000 * SLOWNESS;

const TESTER = "tester";

const session = new Session("windows", {
  prepare: async (profile, puppets) => {
    await defineScripted(profile);
    await defineWithSteps(profile, TESTER, "Runs the tests and reports.", [
      'say "The tests of the checkout come first."',
      'run "echo shared"',
      'say "Done as agreed."',
    ]);
    const runner = { type: "command", format: "events", command: puppets.command };
    await definePuppet(profile, puppets, {
      "subagentSidecar.runners": { [PUPPET_RUNNER]: runner, scripts: SCRIPTS_RUNNER },
      "subagentSidecar.host.onLastWindowClose": undefined,
    });
  },
});
let other: Workbench;
let puppet: Puppet;

session.step("the first launch asks what the last window does, without a dialog", async (one) => {
  await new Chat(one).launch(PUPPET, "Count the ships");
  puppet = await session.puppets.next();
  const toast = await one.toast("when you close the last one?");
  await toast.getByRole("button", { name: "Keep Running" }).click();
  const settings = join(session.profile.folder, "data/Machine/settings.json");
  await until(
    "set",
    () => readFile(settings, "utf8"),
    (text) => text.includes('"subagentSidecar.host.onLastWindowClose": "keep"'),
  );
});

session.step("another window shows the run, and whose it is", async () => {
  puppet.say("One ship.");
  other = await session.openWindow(join(session.profile.folder, "elsewhere"));
  assert.equal((await session.host.servers()).length, 2);
  await session.host.sidecar();
  await other.page.getByRole("button", { name: "2 windows share these subagents." }).waitFor();
  const chat = new Chat(other);
  await other.run("Subagents: Show All Workspaces");
  await chat.row("Count the ships").click();
  await chat.says("One ship.");
  await chat.state("from another window (workspace)").waitFor();
  puppet.say("\n\nTwo ships.");
  await chat.says("Two ships.");
});

session.step("both windows reload in mid-stream and miss nothing", async (one) => {
  await Promise.all([one.reload(), other.reload()]);
  puppet.say("\n\nThree ships.");
  for (const chat of [new Chat(one), new Chat(other)]) {
    await chat.says("Three ships.");
    await until(
      "whole",
      async () => (await chat.messages.allInnerTexts()).join("\n").replaceAll(/\s+/g, " ").trim(),
      (text) => text === "One ship. Two ships. Three ships.",
    );
  }
});

session.step("the other window cancels the run", async (one) => {
  await new Chat(other).button("Cancel").click();
  await new Chat(one).state("Cancelled").waitFor();
  await within("the subagent's end", puppet.gone);
});

session.step("the other window answers a question", async (one) => {
  const [here, there] = [new Chat(one), new Chat(other)];
  await here.launch(TESTER, "Run the tests of the checkout");
  await there.row("echo shared").click();
  await there.question("echo shared").waitFor();
  await other.picture("a-question-from-another-window");
  await there.button(/^Allow Once/).click();
  await here.messages.getByText("Done as agreed.").waitFor();
  await here.ending.waitFor();
  await here.question("echo shared").waitFor({ state: "detached" });
});

session.step("runs of one workspace are cancelled together", async (one) => {
  const chat = new Chat(one);
  await chat.launch(PUPPET, "Count the sails");
  puppet = await session.puppets.next();
  await one.run("Subagents: Cancel All");
  await one.pick("Cancel 1 subagent of this workspace");
  await chat.state("Cancelled").waitFor();
  await within("the subagent's end", puppet.gone);
});

session.step("a run that the other window deletes leaves this one at once", async (one) => {
  const here = new Chat(one);
  const row = new Chat(one).row("Count the sails");
  await row.waitFor();
  await other.run("Subagents: Delete Task");
  await other.pick("Count the sails");
  await other.page.getByRole("button", { name: "Move to Trash" }).click();
  await here.frame.getByText("This subagent was deleted.").waitFor();
  await row.waitFor({ state: "detached" });
  await one.picture("a-deleted-run");
  await here.row("Count the ships").waitFor();
  assert.equal(await here.row("Count the sails").count(), 0);
});

session.step("a reinstallation in one window leaves the other one connected", async (one) => {
  const [before, here] = [await session.host.sidecar(), new Chat(one)];
  await one.run("Subagents: Reinstall Sidecar");
  await until(
    "another sidecar",
    () => session.host.sidecar(),
    (pid) => pid !== before,
    REINSTALL_MS,
  );
  await here.launch(PUPPET, "Count the oars");
  puppet = await session.puppets.next();
  const there = new Chat(other);
  await there.row("Count the oars").click();
  await there.button("Cancel").click();
  await here.state("Cancelled").waitFor();
  await until(
    "the old environment is removed", // it may take longer than the windows take to connect
    () => session.profile.environments(),
    (left) => left.length === 1,
  );
});

session.step("the sidecar ends after its last window", async (one) => {
  await other.leave();
  await one.leave();
  await until(
    "ended",
    () => session.host.sidecars(),
    (left) => left.length === 0,
  );
});
