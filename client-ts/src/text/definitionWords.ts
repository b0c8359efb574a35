import type { SubagentInfo } from "../protocol.js";

/** Return what a definition asks for itself, one fact a text: its policy, its tools, what it hides. */
export function askedFacts({ permissions, tools, shadows }: SubagentInfo): string[] {
  return [
    ...(permissions === undefined ? [] : [`permissions: ${permissions}`]),
    ...(tools === undefined ? [] : [`tools: ${tools.length === 0 ? "none" : tools.join(", ")}`]),
    ...(shadows === undefined ? [] : ["hides your own definition"]),
  ];
}

/** Return that a policy does not count before the user approves it; undefined if none waits. */
export function approvalLine({ approval, permissions }: SubagentInfo): string | undefined {
  return approval === undefined ? undefined : `Its policy ${permissions ?? ""} needs your approval`;
}
