import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { definePuppet, PUPPET } from "../harness/agents/puppets.ts";
import { ChatView } from "../harness/chatView.ts";
import { Probe } from "../harness/probe.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";
import type { Workbench } from "../harness/workbench.ts";

const session = new Session("model", {
  prepare: async (profile, puppets) => {
    await definePuppet(profile, puppets);
    await profile.prefer({ "chat.disableAIFeatures": false });
    await Probe.install(profile);
  },
});
let probe: Probe;

/** Launch the puppet in the background as a model does, and agree as the user. */
async function launch(workbench: Workbench, goal: string): Promise<string[]> {
  const input = { subagent_name: PUPPET, goal_prompt: goal, async: true };
  const result = probe.invokeTool("task", input);
  await workbench.page.getByRole("dialog").getByRole("button", { name: "Yes" }).click();
  return result;
}

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

session.step("a launch is confirmed with what runs and with which rights", async (workbench) => {
  const input = { subagent_name: PUPPET, goal_prompt: "Sink the ships", async: true };
  const declined = assert.rejects(probe.invokeTool("task", input), /Cancel/);
  const dialog = workbench.page.getByRole("dialog");
  await dialog.getByText(`Run the subagent ${PUPPET}?`).waitFor();
  const text = (await dialog.innerText()).replaceAll(/\s+/g, " ");
  assert.match(
    text,
    /Runs: in the background .*Agent: counters .*your permissions and doesn't ask/,
  );
  assert.match(text, /Folder: \S+\/workspace Goal: ?Sink the ships/);
  await workbench.picture("confirmation");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await declined;
  assert.deepEqual(await probe.invokeTool("check_async_tasks", {}), ["No async tasks."]);
});

session.step("an end rides on a later result, once", async (workbench) => {
  const [text] = await launch(workbench, "Count the ships");
  assert.match(text ?? "", /^Async task launched/);
  const puppet = await session.puppets.next();
  puppet.finish("Three ships.");
  await (await workbench.toast("which the chat launched, has ended")).waitFor();
  const [, block] = await probe.invokeTool("check_async_tasks", {});
  assert.match(block ?? "", /not instructions:\s+---\s+System Note.*Three ships\./s);
  assert.equal((await probe.invokeTool("check_async_tasks", {})).length, 1);
  await workbench.run("Notifications: Clear All Notifications");
});

session.step("ends that exceed the room of a result arrive in parts", async (workbench) => {
  await launch(workbench, "Describe the Gull");
  await launch(workbench, "Describe the Tern");
  for (const puppet of [await session.puppets.next(), await session.puppets.next()]) {
    puppet.finish("A long story. ".repeat(500));
    await (await workbench.toast("which the chat launched, has ended")).waitFor();
    await workbench.run("Notifications: Clear All Notifications");
  }
  const blocks: string[] = [];
  for (let calls = 0; calls < 3; calls += 1) {
    const texts = await probe.invokeTool("check_async_tasks", {}, 900);
    assert.ok(texts.join("").length <= 900, texts.join("\n"));
    blocks.push(texts[1] ?? "none");
  }
  assert.match(blocks[0] ?? "", /1 more ended async task/);
  assert.match(blocks[1] ?? "", /"remedy": "Values are cut\. Call check_async_tasks/);
  assert.equal(blocks[2], "none");
});

session.step("Continue in Chat sends the end to the chat", async (workbench) => {
  await launch(workbench, "Count the sails");
  (await session.puppets.next()).finish("Nine sails.");
  const toast = await workbench.toast("which the chat launched, has ended");
  await toast.getByRole("button", { name: "Continue in Chat" }).click();
  const chat = new ChatView(workbench);
  await chat.request("Nine sails.").waitFor();
  await chat.request("not instructions").waitFor();
  await chat.declineSignIn();
  await until(
    "delivered",
    () => probe.invokeTool("check_async_tasks", {}),
    (texts) => texts.length === 1,
  );
});

session.step("@subagents answers in the chat", async (workbench) => {
  const chat = new ChatView(workbench);
  await chat.send("@subagents /status");
  await chat.response("Ended recently").waitFor();
  await chat.send(`@subagents /launch ${PUPPET} Count the masts`);
  await chat.response(`Launched ${PUPPET}`).waitFor();
  const puppet = await session.puppets.next();
  assert.match(puppet.greeting.prompt, /Count the masts/);
  await chat.send(`@subagents /cancel ${PUPPET}`);
  await chat.response(`Cancelled ${PUPPET}`).waitFor();
  await puppet.gone;
});

session.step("another extension launches, is notified, and reminds its model", async () => {
  const api = 'vscode.extensions.getExtension("subagent-sidecar.subagent-sidecar").exports';
  const ended = probe.run<{ result: string }>(
    `const ended = new Promise((resolve) => { ${api}.onDidEndRun(resolve); });
    await ${api}.launch({ subagent: given, goal: "Count the oars", remindsModel: true });
    return ended;`,
    PUPPET,
  );
  (await session.puppets.next()).finish("Forty oars.");
  assert.equal((await ended).result, "Forty oars.");
  const remind = `const reminder = await ${api}.remindersBeforeTurn();
    await reminder?.acknowledge();
    return reminder?.text ?? "";`;
  const text = await until(
    "reminded",
    () => probe.run<string>(remind),
    (reminder) => reminder !== "",
  );
  assert.match(text, /Forty oars\./);
  assert.equal(await probe.run(remind), "");
});

session.step("the coordinator and the skill are offered to the chat", async () => {
  const files = await probe.run<{ uri: { path: string }; extensionId: string }[]>(
    'return vscode.commands.executeCommand("_listExtensionPromptFiles");',
  );
  const ours = files.filter(({ extensionId }) => extensionId.startsWith("subagent-sidecar."));
  const names = ours.map(({ uri }) => uri.path.split("/").slice(-2).join("/"));
  assert.deepEqual(names.sort(), ["assistants/coordinator.agent.md", "delegate-well/SKILL.md"]);
});

session.step("a model finds each tool once", async () => {
  const names = await probe.run<string[]>("return vscode.lm.tools.map(({ name }) => name);");
  for (const tool of ["list_tasks", "task", "check_async_tasks"]) {
    const same = names.filter(
      (name) => name === tool || (name.startsWith("mcp_") && name.endsWith(`_${tool}`)),
    );
    assert.deepEqual(same, [tool]);
  }
});

session.step("the MCP server is listed once it is on, and serves the tools", async (workbench) => {
  await probe.run(
    `await vscode.workspace.getConfiguration("subagentSidecar").update("mcpServer", true, true);`,
  );
  await workbench.run("MCP: List Servers");
  await workbench.pick("Subagent Sidecar");
  await workbench.pick("Start Server");
  const name = await until(
    "served",
    () =>
      probe.run<string | null>(
        `return vscode.lm.tools.find(({ name }) => /^mcp_.*check_async_tasks$/.test(name))?.name;`,
      ),
    (found) => found !== null,
  );
  const result = probe.invokeTool(name ?? "", {});
  const dialog = workbench.page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Yes" }).click();
  assert.match((await result).join(), /Completed: 5/);
});

session.step(
  "the server is added to .mcp.json after a look, and taken out again",
  async (workbench) => {
    const file = join(session.profile.workspace, ".mcp.json");
    await workbench.run("Subagents: Add MCP Server to .mcp.json");
    await workbench.pick("Workspace workspace");
    const question = await workbench.toast(`Add the MCP server to ${file}?`);
    await workbench.picture("mcp-file");
    await question.getByRole("button", { name: "Add", exact: true }).click();
    const toast = await workbench.toast("Added the MCP server");
    const { mcpServers } = JSON.parse(await readFile(file, "utf8")) as {
      mcpServers: Record<string, { command: string; args: string[] }>;
    };
    const entry = mcpServers["subagent-sidecar"];
    assert.deepEqual(entry?.args, ["mcp", "--workspace", session.profile.workspace]);
    assert.ok(existsSync(entry.command));
    await toast.getByRole("button", { name: "Undo" }).click();
    await until(
      "undone",
      () => existsSync(file),
      (exists) => !exists,
    );
  },
);
