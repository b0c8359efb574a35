import assert from "node:assert/strict";

import { Probe } from "./harness/probe.ts";
import type { Puppet } from "./harness/puppets.ts";
import { Session } from "./harness/session.ts";
import { definePuppet, PUPPET } from "./harness/subagents.ts";

const session = new Session("model", {
  prepare: async (profile, puppets) => {
    await definePuppet(profile, puppets);
    await profile.prefer({ "chat.disableAIFeatures": false });
    await Probe.install(profile);
  },
});
let probe: Probe;
let puppet: Puppet;

session.step("models find the three tools with their inputs", async () => {
  probe = new Probe(session.profile);
  const tools = await probe.run<{ name: string; inputSchema: { properties: object } }[]>(
    "return vscode.lm.tools.map(({ name, inputSchema }) => ({ name, inputSchema }));",
  );
  const inputs = new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]));
  assert.ok("query" in (inputs.get("list_tasks")?.properties ?? {}));
  assert.ok("goal_prompt" in (inputs.get("task")?.properties ?? {}));
  assert.ok("task_id" in (inputs.get("check_async_tasks")?.properties ?? {}));
});

session.step("a launch is confirmed with what runs, and with which rights", async (workbench) => {
  const launched = probe.invokeTool("task", {
    subagent_name: PUPPET,
    goal_prompt: "Count the ships",
    async: true,
  });
  const dialog = workbench.page.getByRole("dialog");
  await dialog.getByText(`Run the subagent ${PUPPET}?`).waitFor();
  console.log(await dialog.innerText());
  await workbench.picture("confirm");
  await dialog.getByRole("button", { name: "Yes" }).click();
  const [text] = await launched;
  console.log(text);
  puppet = await session.puppets.next();
});

session.step("continue", async (workbench) => {
  puppet.finish("Three ships.");
  const toast = await workbench.toast("has ended");
  await workbench.picture("toast");
  await toast.getByRole("button", { name: "Continue in Chat" }).click();
  await workbench.page.waitForTimeout(8000);
  await workbench.picture("chat");
  console.log(await workbench.page.locator(".interactive-session").allInnerTexts());
});
