import type * as vscode from "vscode";

/** The walkthrough in the manifest, which is offered only where this key is set. */
const WALKTHROUGH = "subagent-sidecar.subagent-sidecar#start";
const REQUESTED = "subagentSidecar.walkthrough";

/** The command that opens the walkthrough, by its id. */
export function walkthroughCommands({
  executeCommand,
}: Pick<typeof vscode.commands, "executeCommand">) {
  return {
    "subagentSidecar.walkthrough.open": async () => {
      // The editor opens a walkthrough by itself after an installation, unless its condition is not met then.
      await executeCommand("setContext", REQUESTED, true);
      await executeCommand("workbench.action.openWalkthrough", WALKTHROUGH);
    },
  };
}
