import path from "node:path";

/** What a new definition file is made of. */
export interface NewDefinition {
  readonly name: string;
  readonly description: string;
  readonly runner: string;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u;

/** Say what is wrong with a name for a definition; undefined if nothing is. */
export function nameFault(name: string, taken: readonly string[]): string | undefined {
  if (!NAME.test(name)) {
    return "Use 1 to 64 letters, digits, “-”, “_” or “.”, beginning with a letter or a digit.";
  }
  return taken.includes(name) ? `There is a subagent named “${name}” already.` : undefined;
}

/** Write a definition that works as it is, and says what else can be in it. */
export function definitionText({ name, description, runner }: NewDefinition): string {
  return `---
name: ${yaml(name)}
description: ${yaml(description)}
# Who does the work: an agent that is installed (opencode, claude, codex, gemini,
# qwen, kilo), a runner of the setting subagentSidecar.runners, or auto: the first
# one found.
runner: ${yaml(runner)}
# What it may do without asking you: ask (nothing), allowReads, allowEdits,
# allowAll, or deny.
permissions: ask
# model: the model's name, as the runner knows it
# timeoutSeconds: 900
# maxTurns: 50
---

${description}

Keep to the goal you are given. When you are done, say in a few lines what you
found or changed, and what is left to do.
`;
}

const WORDS = /^(?:true|false|yes|no|on|off|null|y|n)$/iu;

function yaml(text: string): string {
  return /^[A-Za-z][A-Za-z0-9_-]*$/u.test(text) && !WORDS.test(text) ? text : JSON.stringify(text);
}

/** What the place of the user's own definitions depends on. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Return where the sidecar looks for the user's own definitions. */
export function userDefinitions({ platform, home, env }: Machine): string {
  return path.join(configFolder(platform, home, env), "subagent-sidecar", "agents");
}

function configFolder(platform: NodeJS.Platform, home: string, env: Machine["env"]): string {
  if (platform === "win32") {
    return env["LOCALAPPDATA"] ?? path.join(home, "AppData", "Local");
  }
  if (platform === "darwin") {
    return path.join(home, "Library", "Application Support");
  }
  const named = env["XDG_CONFIG_HOME"]?.trim() ?? "";
  return named === "" ? path.join(home, ".config") : named;
}
