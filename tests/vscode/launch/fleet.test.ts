import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Frame, Locator } from "playwright-core";

import { seriousFindings } from "../harness/accessible.ts";
import { defineScripted, SCRIPTED } from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import { REPOSITORY } from "../harness/places.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";
import type { Workbench } from "../harness/workbench.ts";

const ASKING = "Asking the cluster for its nodes…";

/** A gateway that is its own cluster, without Ray: each name becomes a node with two slots. */
function gateway(pipe: string): string[] {
  return [
    ...["env", `PYTHONPATH=${REPOSITORY}`, `STATUS_WAITS_FOR=${pipe}`],
    ...[join(REPOSITORY, ".venv/bin/python"), "-m", "tests.fleet.fakes.alone", "cpu-1", "gpu-1"],
  ];
}

const session = new Session("fleet", {
  prepare: async (profile) => {
    await defineScripted(profile);
    const command = gateway(join(profile.folder, "waits"));
    await profile.addSettings(`[fleet]\ngateway = ${JSON.stringify(command)}\n`);
    git("init", "-q", profile.workspace);
  },
});

/** The pipe that lets the gateway's status wait while it exists. */
function waitsFor(): string {
  return join(session.profile.folder, "waits");
}

/** Wait until the page has something; the editor replaces its frame when the text changes. */
async function pageShows(workbench: Workbench, find: (page: Frame) => Locator): Promise<void> {
  await until(
    "shown by the page of the cluster",
    async () => {
      const found = find(await workbench.renderedPage("Fleet Status"));
      return found.count().catch(() => 0);
    },
    (count) => count === 1,
  );
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { encoding: "utf8" }).trim();
}

session.step(
  "a placement is offered, with the labels once the cluster is reached",
  async (workbench) => {
    const chat = new Chat(workbench);
    const placement = chat.list.getByRole("combobox", { name: "Placement" });
    await chat.picker.selectOption(SCRIPTED);
    await placement.waitFor();
    assert.deepEqual(await placement.locator("option").allInnerTexts(), [
      ...["This machine (default)", "Cluster"],
    ]);
    await placement.selectOption("ray");
    await chat.list.getByText("Cluster: 4 of 4 slots free.").waitFor();
    assert.deepEqual((await placement.locator("option").allInnerTexts()).slice(2), [
      ...["Node cpu-1", "Node gpu-1", "Cluster: kind=fake"],
    ]);
    assert.deepEqual(await seriousFindings(workbench.sideBarPage), []);
  },
);

session.step("the run works on the chosen node, and its row and head say so", async (workbench) => {
  const chat = new Chat(workbench);
  const placement = chat.list.getByRole("combobox", { name: "Placement" });
  await workbench.run("Subagents: Focus on Subagents View");
  await workbench.tabTo(placement);
  await workbench.page.keyboard.type("Node g"); // the first option that begins so
  await chat.launch(SCRIPTED, "write new.txt text");
  await chat.button(/^Allow Once/).waitFor();
  await chat.frame.locator(".head-facts").getByText("on gpu-1", { exact: true }).waitFor();
  await chat.list.getByText("Cluster: 3 of 4 slots free.").waitFor();
});

session.step("a page opens at once and says that it asks", async (workbench) => {
  execFileSync("mkfifo", [waitsFor()]);
  await workbench.run("Subagents: Show Fleet Status");
  await pageShows(workbench, (page) => page.getByText(ASKING));
});

session.step("it shows why the cluster cannot be used", async (workbench) => {
  await writeFile(waitsFor(), "the token is wrong; correct fleet.tokenPath");
  await pageShows(workbench, (page) => page.getByText("token is wrong; correct fleet.tokenPath"));
});

session.step("it asks again when it is shown again", async (workbench) => {
  await workbench.run("Subagents: Show Fleet Status");
  await pageShows(workbench, (page) => page.getByText(ASKING));
});

session.step("it shows the nodes and the run", async (workbench) => {
  await writeFile(waitsFor(), "");
  await rm(waitsFor());
  for (const name of [/^gpu-1 █░ 1 of 2/, /^write new\.txt text .* gpu-1 Needs you/]) {
    await pageShows(workbench, (page) => page.getByRole("row", { name }));
  }
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
