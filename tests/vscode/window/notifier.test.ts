import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { Probe } from "../harness/probe.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";

const COMPANION = "subagent-sidecar.subagent-sidecar-notifier";
const INSTALL = "subagentSidecar.notifier.install";
const SHOW = "subagentSidecarNotifier.show";
const RUN = "return vscode.commands.executeCommand(...given);";

const session = new Session("notifier", {
  prepare: async (profile) => {
    const shown = join(profile.folder, "notice");
    await profile.addProgram("notify-send", `#!/bin/sh\nprintf '%s\\n' "$@" > '${shown}'\n`);
    // A browser has no computer to run it on, so it runs where this workbench runs all others.
    await profile.prefer({ "remote.extensionKind": { [COMPANION]: ["workspace"] } });
    await Probe.install(profile);
  },
});

session.step(
  "the extension installs its companion, which shows a notification",
  async (workbench) => {
    const probe = new Probe(session.profile);
    await workbench.page.locator(".activitybar").getByRole("tab", { name: "Subagents" }).click();
    await probe.run(RUN, [INSTALL]);
    await workbench.toast("Installed. While the window has no focus");
    await workbench.picture("installed");
    assert.equal(await probe.run(RUN, [SHOW, "Subagents", "1 ended & <b>\\n"]), null);
    const file = join(session.profile.folder, "notice");
    await until("the notification", () => existsSync(file), Boolean);
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    assert.deepEqual(lines, [
      "--app-name=Subagents",
      "--",
      "Subagents",
      "1 ended &amp; &lt;b&gt;\\\\n",
    ]);
    await assert.rejects(probe.run(RUN, [SHOW, 1]), /subagentSidecarNotifier\.show/);
  },
);
