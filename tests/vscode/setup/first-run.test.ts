import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { Chat } from "../harness/chat.ts";
import { TAKES_ALL } from "../harness/looks.ts";
import { Session } from "../harness/session.ts";
import { SLOWNESS, until } from "../harness/waiting.ts";

/** From the install to a finished subagent, for somebody who has read nothing. */
const FIRST_SUBAGENT_MS = 60_000 * SLOWNESS;
const EXTENSION = "subagent-sidecar.subagent-sidecar";
/** Ten times what is promised: a busy machine must not fail a test; the figure itself is reported. */
const ACTIVATION_MS = 500;

const session = new Session("first-run", {
  begins: "at install",
  prepare: async (profile) => {
    await profile.configure({ "subagentSidecar.history.autoDiscover": undefined }); // the first start sets it
    await profile.addFile("README.md", "# Orders\n\nA small service that keeps orders.\n");
    await profile.addFile("src/orders.py", "def total(lines):\n    return sum(lines)\n");
  },
});

session.step("the VSIX installs and asks for no proposed API", async () => {
  const manifest = await session.profile.manifest();
  assert.equal(manifest.engines.vscode, "^1.101.0");
  assert.equal(manifest.enabledApiProposals, undefined, "such a manifest cannot be published");
});

session.step("the first look sets up a private environment, and says so", async (workbench) => {
  await workbench.openSideBar("Subagents");
  await new Chat(workbench).list.getByText(/^(Creating|Downloading|Installing) /).waitFor();
  assert.equal(await workbench.toasts.count(), 0, "it is reported once, where people read it");
});

session.step(
  "the tasks of other agents are listed from the start, and a message says so",
  async (workbench) => {
    const toast = await workbench.toast("The history also lists the tasks that other agents");
    await toast.getByRole("button", { name: "Turn Off" }).click();
    const settings = join(session.profile.folder, "data/Machine/settings.json");
    await until(
      "turned off",
      () => readFile(settings, "utf8"),
      (text) => /"subagentSidecar\.history\.autoDiscover": false/.test(text),
    );
  },
);

session.step("with no subagent defined an example is offered", async (workbench) => {
  const example = new Chat(workbench).listButton("Run an Example");
  await example.waitFor({ timeout: FIRST_SUBAGENT_MS });
  await example.click();
});

session.step("the example plans, and asks before it edits, with a diff", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.question("Make this edit?").waitFor();
  await chat.frame.getByText("Plan: 1 of 3 done").waitFor();
  await chat.log.locator(".row-old", { hasText: "- discount" }).waitFor();
  await chat.log.locator(".row-new", { hasText: "discount / 100" }).waitFor();
  await workbench.statusItem("1 needs you").waitFor();
});

session.step(
  "the example is finished within a minute of the install",
  async (workbench, report) => {
    const chat = new Chat(workbench);
    await chat.button(/^Allow Once/).click();
    await chat.ending.getByText("The subagent finished its work.").waitFor();
    const took = performance.now() - session.installedAt;
    report(`from the install to a finished subagent: ${(took / 1000).toFixed(1)} s`);
    assert.ok(TAKES_ALL || took < FIRST_SUBAGENT_MS, `it took ${took} ms`);
  },
);

session.step("the end of the example shows what changed", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.frame.getByText("Plan: 3 of 3 done").waitFor();
  await chat.ending.getByText("1 file changed").waitFor();
  await chat.button("View All Changes").click();
  const diff = workbench.page.locator(".monaco-diff-editor");
  await diff.locator(".modified .view-lines").getByText("discount / 100").waitFor();
  await workbench.picture("the-changes-of-the-example");
  await workbench.run("View: Revert and Close Editor");
});

session.step("the example left the files of the workspace alone", async () => {
  const names = await readdir(session.profile.workspace, { recursive: true });
  assert.deepEqual(names.toSorted(), ["README.md", "src", "src/orders.py"]);
});

session.step("the example is in the list, once", async (workbench) => {
  await new Chat(workbench).row("Completed").waitFor();
  assert.equal(await new Chat(workbench).rows.count(), 1, "one run is one row");
});

session.step("activation does not hold up the editor", async (workbench, report) => {
  const { loadMs, callMs } = await workbench.activation(EXTENSION);
  report(`activation: ${callMs} ms, after ${loadMs} ms in which the code was loaded`);
  assert.ok(callMs < ACTIVATION_MS, `it took ${callMs} ms`);
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
