import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";

import * as strings from "../../text/strings.js";

/** What a new definition file is made of. */
export interface NewDefinition {
  readonly name: string;
  readonly description: string;
  readonly runner: string;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u;

/** Return what is wrong with a name for a definition; undefined if it is valid. */
export function nameProblem(name: string, taken: readonly string[]): string | undefined {
  if (!NAME.test(name)) {
    return strings.definitions.badName;
  }
  return taken.includes(name) ? strings.definitions.nameTaken(name) : undefined;
}

/** Return a name for a new definition that no other one has. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1) {
    name = `${wanted}-${number}`;
  }
  return name;
}

/** Return the text of a definition that works as is, with comments on what else it can contain. */
export function definitionText({ name, description, runner }: NewDefinition): string {
  return `---
name: ${yaml(name)}
description: ${yaml(description)}
# What executes the subagent: an installed agent (opencode, claude, codex, gemini,
# qwen, kilo), a runner from the setting subagentSidecar.runners, or auto: the
# first agent found.
runner: ${yaml(runner)}
# What it may do without asking you: ask (nothing), allowReads, allowEdits,
# allowAll, or deny.
permissions: ask
# model: name of the model, as the runner spells it
# timeoutSeconds: 900
# maxTurns: 50
---

${description}

Focus on the goal you are given. When you finish, summarize in a few lines what
you found or changed and what is left to do.
`;
}

const WORDS = /^(?:true|false|yes|no|on|off|null|y|n)$/iu;

function yaml(text: string): string {
  return /^[A-Za-z][A-Za-z0-9_-]*$/u.test(text) && !WORDS.test(text) ? text : JSON.stringify(text);
}

/** What determines the folder of the user's own definitions. */
export interface Platform {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Return the folder of the user's own definitions. */
export function userDefinitions({ platform, home, env }: Platform): string {
  return path.join(configFolder(platform, home, env), "subagent-sidecar", "agents");
}

function configFolder(platform: NodeJS.Platform, home: string, env: Platform["env"]): string {
  if (platform === "win32") {
    return env["LOCALAPPDATA"] ?? path.join(home, "AppData", "Local");
  }
  if (platform === "darwin") {
    return path.join(home, "Library", "Application Support");
  }
  const named = env["XDG_CONFIG_HOME"]?.trim() ?? "";
  return named === "" ? path.join(home, ".config") : named;
}

/** Return the folder of the user's own definitions on this machine. */
export function ownDefinitions(): string {
  return userDefinitions({ platform: process.platform, home: homedir(), env: process.env });
}

/** Write the file of a definition, without replacing one; returns its path. */
export async function writeDefinition(folder: string, definition: NewDefinition): Promise<string> {
  const name = definition.name.trim();
  const file = path.join(folder, `${name}.md`);
  const text = definitionText({ ...definition, name, description: definition.description.trim() });
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(file, text, { flag: "wx" });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "EEXIST"
      ? new Error(strings.definitions.fileExists(file))
      : error;
  }
  return file;
}
