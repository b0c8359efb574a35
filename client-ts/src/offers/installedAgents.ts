import type { RunnersResult } from "../protocol.js";
import { commandLine } from "../signIn/ways.js";

/** A program that an installed agent lacks, and the command that installs it. */
export interface Adapter {
  readonly name: string;
  readonly install: string;
}

/** An agent that is installed and that a new subagent could use. */
export interface InstalledAgent {
  /** The name that definitions use for it. */
  readonly runner: string;
  /** The name that its product has. */
  readonly title: string;
  /** What has to be installed before it can be used. */
  readonly lacks?: Adapter;
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

/** Return the known agents that are installed, in the order of `auto`; those that lack something come last. */
export function installedAgents({ items, missingAdapters = [] }: RunnersResult): InstalledAgent[] {
  const ready = items.flatMap(({ name, available, type }) => {
    const known = available && type === "acp" ? KNOWN.get(name) : undefined;
    return known === undefined ? [] : [known];
  });
  const incomplete = missingAdapters.flatMap(({ runner, adapter, install }) => {
    const known = KNOWN.get(runner);
    const lacks = { name: adapter, install: commandLine({ command: install }) };
    return known === undefined ? [] : [{ ...known, lacks }];
  });
  return [...ready, ...incomplete];
}
