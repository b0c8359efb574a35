import { join } from "node:path";

import { REPOSITORY } from "../places.ts";
import type { Profile } from "../profile.ts";

/** The definition of an agent that does what its goal says, a step a line. */
export const SCRIPTED = "scripted";

/** Runs them: a program that needs the protocol's library. */
export const SCRIPTS_RUNNER = {
  type: "acp",
  command: [
    join(REPOSITORY, ".venv/bin/python"),
    join(REPOSITORY, "tests/agents/scripted.py"),
    "--lasting",
  ],
};

/** Define an agent that speaks the Agent Client Protocol and asks before it writes or runs anything. */
export async function defineScripted(profile: Profile): Promise<void> {
  await profile.addFile(
    `.sidecar/agents/${SCRIPTED}.md`,
    `---\nname: ${SCRIPTED}\ndescription: Does what its goal says.\nrunner: scripts\nmodel: large\n---\nObey.\n`,
  );
  await profile.configure({ "subagentSidecar.runners": { scripts: SCRIPTS_RUNNER } });
}

/** Define an agent that takes these steps, whatever its goal; its runner is that of `defineScripted`. */
export function defineWithSteps(
  profile: Profile,
  name: string,
  description: string,
  steps: readonly string[],
): Promise<void> {
  const head = ["---", `name: ${name}`, `description: ${description}`, "runner: scripts", "---"];
  return profile.addFile(`.sidecar/agents/${name}.md`, [...head, ...steps, ""].join("\n"));
}

/** Return a runner whose agent announces what `behavior` says; see tests/agents/equipped.py. */
export function equippedRunner(behavior: Readonly<Record<string, unknown>>) {
  const program = join(REPOSITORY, "tests/agents/equipped.py");
  const python = join(REPOSITORY, ".venv/bin/python");
  return { type: "acp", command: [python, program, JSON.stringify(behavior)] };
}
