import { expect, test } from "vitest";

import { installedAgents } from "../../../src/offers/installedAgents.js";
import type { RunnerInfo } from "../../../src/protocol.js";

test("agents that are installed and can ask are offered by the names of their products", () => {
  const runners: RunnerInfo[] = [
    { name: "opencode", type: "acp", available: true },
    { name: "claude-agent-acp", type: "acp", available: true },
    { name: "codex-acp", type: "acp", available: false, reason: "not found" },
    { name: "copilot", type: "acp", available: true },
    { name: "toString", type: "acp", available: true },
    { name: "gemini", type: "command", available: true },
  ];
  expect(installedAgents(runners)).toEqual([
    { runner: "opencode", title: "opencode" },
    { runner: "claude", title: "Claude Code" },
  ]);
});
