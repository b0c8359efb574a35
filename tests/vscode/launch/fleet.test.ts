import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";

import { seriousFindings } from "../harness/accessible.ts";
import { defineScripted, SCRIPTED } from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import { REPOSITORY } from "../harness/places.ts";
import { Session } from "../harness/session.ts";

/** A gateway that is its own cluster, without Ray: each name becomes a node with two slots. */
const GATEWAY = [
  ...["env", `PYTHONPATH=${REPOSITORY}`, join(REPOSITORY, ".venv/bin/python")],
  ...["-m", "tests.fleet.fakes.alone", "cpu-1", "gpu-1"],
];

const session = new Session("fleet", {
  prepare: async (profile) => {
    await defineScripted(profile);
    await profile.addSettings(`[fleet]\ngateway = ${JSON.stringify(GATEWAY)}\n`);
    git("init", "-q", profile.workspace);
  },
});

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { encoding: "utf8" }).trim();
}

session.step(
  "a placement is offered, with the labels once the fleet is reached",
  async (workbench) => {
    const chat = new Chat(workbench);
    const placement = chat.list.getByRole("combobox", { name: "Placement" });
    await chat.picker.selectOption(SCRIPTED);
    await placement.waitFor();
    assert.deepEqual(await placement.locator("option").allInnerTexts(), [
      ...["This machine (default)", "Fleet"],
    ]);
    await placement.selectOption("ray");
    await chat.list.getByText("Fleet: 4 of 4 slots free.").waitFor();
    assert.deepEqual((await placement.locator("option").allInnerTexts()).slice(2), [
      ...["Node cpu-1", "Node gpu-1", "Fleet: kind=fake"],
    ]);
    assert.deepEqual(await seriousFindings(workbench.sideBarPage), []);
  },
);

session.step("the run works on the chosen node, and its row and head say so", async (workbench) => {
  const chat = new Chat(workbench);
  const placement = chat.list.getByRole("combobox", { name: "Placement" });
  await placement.selectOption({ label: "Node gpu-1" });
  await chat.launch(SCRIPTED, "write new.txt text");
  await chat.button(/^Allow Once/).waitFor();
  await chat.frame.locator(".head-facts").getByText("on gpu-1", { exact: true }).waitFor();
  await chat.list.getByText("Fleet: 3 of 4 slots free.").waitFor();
});

session.step("a page shows the nodes and the run", async (workbench) => {
  await workbench.run("Subagents: Show Fleet Status");
  const page = await workbench.renderedPage("Fleet Status");
  await page.getByRole("row", { name: /^gpu-1 █░ 1 of 2/ }).waitFor();
  await page.getByRole("row", { name: /^write new\.txt text .* gpu-1 Waiting for you/ }).waitFor();
});

session.step("its changes come back as a commit", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.row("write new.txt").click();
  await chat.button(/^Allow Once/).click();
  await chat.state("Completed").waitFor();
  await chat.ending.getByText("git merge refs/sidecar/").waitFor();
  await chat.row("on gpu-1").waitFor();
  assert.deepEqual(await seriousFindings(workbench.editorPage), []);
  const { workspace } = session.profile;
  const ref = git("-C", workspace, "for-each-ref", "--format=%(refname)", "refs/sidecar");
  assert.equal(git("-C", workspace, "show", `${ref}:new.txt`), "text");
});
