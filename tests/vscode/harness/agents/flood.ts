import { join } from "node:path";

import { REPOSITORY } from "../places.ts";
import type { Profile } from "../profile.ts";

/** The definition of an agent that says as much as its goal asks for; see `flood.py`. */
export const FLOOD = "flood";
export const LAST_LINE = "That was the last line.";

/** Define the agent that floods the panel. */
export async function defineFlood(profile: Profile): Promise<void> {
  await profile.addFile(
    `.sidecar/agents/${FLOOD}.md`,
    `---\nname: ${FLOOD}\ndescription: Says a lot.\nrunner: flood\n---\nSay it.\n`,
  );
  await profile.configure({
    "subagentSidecar.runners": {
      flood: {
        type: "command",
        command: ["python3", join(REPOSITORY, "tests/vscode/flood.py")],
        format: "events",
      },
    },
  });
}
