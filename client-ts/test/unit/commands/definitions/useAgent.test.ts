import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { beforeEach, expect, test, vi } from "vitest";
import * as vscode from "vscode";

import { ownDefinitions } from "../../../../src/commands/definitions/definitionFile.js";
import { useAgentCommands } from "../../../../src/commands/definitions/useAgent.js";
import { shown, workspace } from "../../../vscode.js";
import type { MissingAdapter, RunnerInfo, SubagentInfo } from "../../../../src/protocol.js";

const CLAUDE: RunnerInfo = { name: "claude-agent-acp", type: "acp", available: true };
const OWN = { path: "/home/me/mine.md", level: "user" };
const OPENCODE: RunnerInfo = { name: "opencode", type: "acp", available: true };

beforeEach(async () => {
  Object.assign(shown, { messages: [], answers: [], terminals: [] });
  workspace.isTrusted = true;
  const home = await mkdtemp(path.join(tmpdir(), "use-agent-"));
  vi.stubEnv("XDG_CONFIG_HOME", home);
  vi.stubEnv("LOCALAPPDATA", home);
  vi.stubEnv("HOME", home);
});

function commands(
  runners: RunnerInfo[],
  items: readonly Partial<SubagentInfo>[] = [],
  missing: () => MissingAdapter[] = () => [],
) {
  const chosen: (string | undefined)[] = [];
  const service = {
    start: () => Promise.resolve(),
    request: (method: string) =>
      Promise.resolve(
        method === "runners/list"
          ? { items: runners, missingAdapters: missing() }
          : { items, problems: [] },
      ),
  } as never;
  const panel = {
    reveal: () => Promise.resolve(void chosen.push("the view")),
    definitionsChanged: (name?: string) => Promise.resolve(void chosen.push(name)),
    compose: (name: string) => void chosen.push(name),
  };
  const use = useAgentCommands({ service, panel })["subagentSidecar.agent.use"];
  return { use, chosen };
}

test("an installed agent becomes a subagent that asks, and is chosen", async () => {
  const { use, chosen } = commands([OPENCODE, CLAUDE]);
  await use("claude");
  expect(chosen).toEqual(["claude", "claude"]);
  const text = await readFile(path.join(ownDefinitions(), "claude.md"), "utf8");
  expect(text.split("\n")).toEqual(
    expect.arrayContaining(["name: claude", "runner: claude", "permissions: ask"]),
  );
  expect(text).toContain("Works on any goal with Claude Code");
});

test("a subagent that uses the agent is chosen, and no other is made", async () => {
  const { use, chosen } = commands([CLAUDE], [{ name: "mine", runner: "claude", source: OWN }]);
  await use("claude");
  expect(chosen).toEqual(["mine", "mine"]);
  await expect(readFile(path.join(ownDefinitions(), "claude.md"))).rejects.toThrow();
});

test.each([
  ["of the workspace", { name: "claude", source: { path: "/w/claude.md", level: "workspace" } }],
  ["of another tool", { name: "reviewer", source: { ...OWN, format: "claude" } }],
  ["that a workspace hides", { name: "claude", source: OWN, shadowedBy: "/w/claude.md" }],
])("a definition %s is not chosen in place of the user's own", async (_, other) => {
  const { use, chosen } = commands([CLAUDE], [{ ...other, runner: "claude" }]);
  await use("claude");
  const name = other.name === "claude" ? "claude-2" : "claude";
  expect(chosen).toEqual([name, name]);
  const text = await readFile(path.join(ownDefinitions(), `${name}.md`), "utf8");
  expect(text).toContain("permissions: ask");
});

test("the new subagent has a name of its own", async () => {
  const { use, chosen } = commands([CLAUDE], [{ name: "claude", runner: "opencode" }]);
  await use("claude");
  expect(chosen).toEqual(["claude-2", "claude-2"]);
});

test("from the palette the user picks the agent, and the view has the focus at once", async () => {
  const pick = vi.spyOn(vscode.window, "showQuickPick");
  pick.mockImplementationOnce((rows) => Promise.resolve((rows as never[])[1]));
  const { use, chosen } = commands([OPENCODE, CLAUDE]);
  await use();
  expect(chosen).toEqual(["the view", "claude", "claude"]);
});

const ADAPTER: MissingAdapter = {
  ...{ runner: CLAUDE.name, program: "claude", adapter: "claude-agent-acp" },
  install: ["npm", "install", "-g", "@agentclientprotocol/claude-agent-acp"],
};

test("without its adapter, an agent is explained, and the command is typed but not run", async () => {
  const { use, chosen } = commands([], [], () => [ADAPTER]);
  shown.answers = ["Install in Terminal…"];
  await use("claude");
  expect(shown.messages).toEqual([
    "Claude Code is installed, but subagents also need its adapter, claude-agent-acp.",
    expect.stringContaining("Press Enter in the terminal"),
  ]);
  const [terminal] = shown.terminals;
  expect([terminal?.visible, terminal?.typed]).toEqual([
    true,
    ["npm install -g @agentclientprotocol/claude-agent-acp (not run)"],
  ]);
  expect(chosen).toEqual([]);
});

test("an agent is used once its adapter is installed", async () => {
  const runners: RunnerInfo[] = [];
  const answers = [[ADAPTER], []];
  const { use, chosen } = commands(runners, [], () => {
    const missing = answers.shift() ?? [];
    runners.splice(0, 1, ...(missing.length === 0 ? [CLAUDE] : []));
    return missing;
  });
  shown.answers = ["Install in Terminal…", "Try Again"];
  await use("claude");
  expect(chosen).toEqual(["claude", "claude"]);
});

test("in Restricted Mode nothing is typed", async () => {
  workspace.isTrusted = false;
  await commands([], [], () => [ADAPTER]).use("claude");
  expect(shown.terminals).toEqual([]);
});

test("without an installed agent a message says what to install", async () => {
  const inform = vi.spyOn(vscode.window, "showInformationMessage");
  const { use, chosen } = commands([{ ...CLAUDE, available: false }]);
  await use();
  expect(chosen).toEqual([]);
  expect(inform).toHaveBeenCalledWith(expect.stringMatching(/Install one/u));
});

test("a file that is not a valid definition is kept, and the error names it", async () => {
  const { use } = commands([CLAUDE]);
  const file = path.join(ownDefinitions(), "claude.md");
  await mkdir(ownDefinitions(), { recursive: true });
  await writeFile(file, "mine");
  await expect(use("claude")).rejects.toThrow(`${file} already exists`);
  expect(await readFile(file, "utf8")).toBe("mine");
});
