import type { SubagentInfo } from "../../../src/protocol.js";

/** A definition; `more` overrides. */
export function definition(more: Partial<SubagentInfo> = {}): SubagentInfo {
  return {
    name: "reviewer",
    description: "Reviews.",
    runner: "opencode",
    source: { path: "/house/.sidecar/agents/reviewer.md", level: "workspace" },
    ...more,
  };
}

/** A token that is never cancelled, unless a test cancels it. */
export function quietToken(isCancelled = false) {
  return { isCancellationRequested: isCancelled, onCancellationRequested: () => quietDisposable };
}

const quietDisposable = { dispose: () => undefined };
