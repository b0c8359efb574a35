import type { RunnerInfo } from "../protocol.js";

/** An agent that is installed and that a new subagent could use. */
export interface InstalledAgent {
  /** The name that definitions use for it. */
  readonly runner: string;
  /** The name that its product has. */
  readonly title: string;
}

/** The agents that the sidecar can make ask before they act, by the names of their runners. */
const KNOWN: ReadonlyMap<string, InstalledAgent> = new Map(
  Object.entries({
    "claude-agent-acp": { runner: "claude", title: "Claude Code" },
    "codex-acp": { runner: "codex", title: "Codex" },
    opencode: { runner: "opencode", title: "opencode" },
    gemini: { runner: "gemini", title: "Gemini CLI" },
    qwen: { runner: "qwen", title: "Qwen Code" },
    kilo: { runner: "kilo", title: "Kilo Code" },
  }),
);

/** Return the known agents that are installed, in the order of `auto`. */
export function installedAgents(runners: readonly RunnerInfo[]): InstalledAgent[] {
  return runners.flatMap(({ name, available, type }) => {
    const known = available && type === "acp" ? KNOWN.get(name) : undefined;
    return known === undefined ? [] : [known];
  });
}
