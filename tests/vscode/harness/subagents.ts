import type { Profile } from "./profile.ts";
import type { Puppets } from "./puppets.ts";

/** The name of the definition that every launch in these tests is of. */
export const PUPPET = "puppet";

/** Define a subagent that the test speaks for, as a user would: a file in the workspace and a runner. */
export async function definePuppet(
  profile: Profile,
  puppets: Puppets,
  more: Record<string, unknown> = {},
): Promise<void> {
  const definition = [
    "---",
    `name: ${PUPPET}`,
    "description: Says what a test tells it to.",
    "runner: puppets",
    "---",
    "Do as you are asked.",
    "",
  ];
  await profile.addFile(`.sidecar/agents/${PUPPET}.md`, definition.join("\n"));
  await profile.configure({
    "subagentSidecar.runners": {
      puppets: { type: "command", format: "events", command: puppets.command },
    },
    ...more,
  });
}
