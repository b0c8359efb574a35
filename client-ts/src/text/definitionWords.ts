import type { SubagentInfo } from "../protocol.js";
import * as strings from "./strings.js";

/** Return what a definition requests or changes: its policy, its tools, and what it hides. */
export function askedFacts({ permissions, tools, shadows }: SubagentInfo): string[] {
  return [
    ...(permissions === undefined ? [] : [strings.definitions.permissions[permissions]]),
    ...(tools === undefined ? [] : [strings.definitions.tools(tools)]),
    ...(shadows === undefined ? [] : [strings.definitions.hidesOwn]),
  ];
}

/** Return that a policy needs the user's approval; undefined if it does not. */
export function approvalLine({ approval, permissions }: SubagentInfo): string | undefined {
  return approval === undefined ? undefined : strings.definitions.needsApproval(permissions ?? "");
}
