import assert from "node:assert/strict";

import { Chat } from "./harness/chat.ts";
import { Session } from "./harness/session.ts";
import { until } from "./harness/waiting.ts";

/** From the install to a finished subagent, for somebody who has read nothing. */
const FIRST_SUBAGENT_MS = 60_000;
const ACTIVATION_MS = 50;

const session = new Session("first-run");

session.step("the VSIX installs and asks for no proposed API", async () => {
  const manifest = await session.profile.manifest();
  assert.equal(manifest.engines.vscode, "^1.101.0");
  assert.equal(manifest.enabledApiProposals, undefined, "such a manifest cannot be published");
});

session.step("the first look offers an example", async (workbench) => {
  await workbench.openSideBar("Subagents");
  await new Chat(workbench).button("Run an Example").waitFor();
});

session.step("the first run sets up a private Python environment", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.button("Run an Example").click();
  await workbench.statusItem("Subagents").waitFor();
});

session.step("the example is finished within a minute of the install", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.ending.getByText("The subagent finished its work.").waitFor();
  const took = performance.now() - session.installedAt;
  assert.ok(took < FIRST_SUBAGENT_MS, `it took ${took} ms`);
});

session.step("the example is in the tree and in the history", async (workbench) => {
  await workbench.treeRows("Subagents").filter({ hasText: "goal reached" }).waitFor();
  await workbench.openView("Task History");
  await workbench.treeRows("Task History").first().waitFor();
});

session.step("activation keeps the editor waiting for less than 50 ms", async (workbench) => {
  const ms = await workbench.activationMs("subagent-sidecar.subagent-sidecar");
  assert.ok(ms < ACTIVATION_MS, `it took ${ms} ms`);
});

session.step("closing the window leaves no process of the sidecar", async (workbench) => {
  assert.notDeepEqual(await session.host.sidecars(), [], "a sidecar runs while the window is open");
  await workbench.leave();
  await until(
    "ended",
    () => session.host.sidecars(),
    (left) => left.length === 0,
  );
});
