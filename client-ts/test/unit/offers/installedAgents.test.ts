import { expect, test } from "vitest";

import { installedAgents } from "../../../src/offers/installedAgents.js";
import type { MissingAdapter, RunnerInfo } from "../../../src/protocol.js";

test("agents that are installed and can ask are offered by the names of their products", () => {
  const runners: RunnerInfo[] = [
    { name: "opencode", type: "acp", available: true },
    { name: "claude-agent-acp", type: "acp", available: true },
    { name: "codex-acp", type: "acp", available: false, reason: "not found" },
    { name: "copilot", type: "acp", available: true },
    { name: "toString", type: "acp", available: true },
    { name: "gemini", type: "command", available: true },
  ];
  expect(installedAgents({ items: runners })).toEqual([
    { runner: "opencode", title: "opencode" },
    { runner: "claude", title: "Claude Code" },
  ]);
});

test("an agent without its adapter comes last, with the command that installs it", () => {
  const adapter = "claude-agent-acp";
  const install = ["npm", "install", "-g", "@agentclientprotocol/claude-agent-acp"];
  const missing: MissingAdapter = { runner: adapter, program: "claude", adapter, install };
  const unknown: MissingAdapter = { ...missing, runner: "toString" };
  const items: RunnerInfo[] = [{ name: "opencode", type: "acp", available: true }];
  expect(installedAgents({ items, missingAdapters: [missing, unknown] })).toEqual([
    { runner: "opencode", title: "opencode" },
    {
      ...{ runner: "claude", title: "Claude Code" },
      lacks: { name: adapter, install: "npm install -g @agentclientprotocol/claude-agent-acp" },
    },
  ]);
});
