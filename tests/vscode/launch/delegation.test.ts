import assert from "node:assert/strict";

import { SCRIPTS_RUNNER } from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";

const [LEAD, HELPER] = ["lead", "helper"];

const session = new Session("delegation", {
  prepare: async (profile) => {
    await profile.addSettings("[asyncTasks]\nmaxDepth = 2\n");
    for (const [name, more] of [
      [LEAD, "mcpServers: [sidecar]\n"],
      [HELPER, ""],
    ]) {
      await profile.addFile(
        `.sidecar/agents/${name}.md`,
        `---\nname: ${name}\ndescription: Obeys.\nrunner: scripts\n${more}---\nObey.\n`,
      );
    }
    await profile.configure({ "subagentSidecar.runners": { scripts: SCRIPTS_RUNNER } });
  },
});

/** The step of a scripted agent that launches a helper in the background. */
function help(goal: string): string {
  const given = { subagent_name: HELPER, goal_prompt: goal, async: true };
  return `call task '${JSON.stringify(given)}'`;
}

session.step("what a subagent launched is below it in the list", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launchScript(LEAD, [help("say Found."), help("wait"), "wait"]);
  const level = (row: string, number: number) =>
    chat.list.locator(`.line[aria-level="${number}"]`).filter({ hasText: row });
  await level("say Found.", 2).filter({ hasText: "Completed" }).waitFor();
  await level("wait", 2).filter({ hasText: "Running" }).waitFor();
  const texts = await until(
    "one family",
    () => chat.rows.allInnerTexts(),
    (rows) => rows.length === 3,
  );
  assert.match(texts[0] ?? "", /lead/);
  await chat.list.getByRole("button", { name: "Running, 2 tasks" }).waitFor();
});

session.step("it stays there when all have ended", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.button("Cancel").click();
  await chat.state("Cancelled").waitFor();
  const levels = await until(
    "all ended",
    () => chat.list.locator(".line").evaluateAll((lines) => lines.map((line) => line.ariaLevel)),
    (all) => all.length === 4,
  );
  assert.deepEqual(levels, ["1", "1", "2", "2"]);
});
