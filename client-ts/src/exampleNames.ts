import type { SubagentInfo } from "./protocol.js";

/** The definition in `example/agents`. */
export const EXAMPLE_SUBAGENT = "tour";

/** The runner that can only run the example. */
export const EXAMPLE_RUNNER = "subagent-sidecar-example";

/** Whether a definition is the example's, which only follows its script, whatever the goal. */
export function isExample({ runner }: Pick<SubagentInfo, "runner">): boolean {
  return runner === EXAMPLE_RUNNER;
}
