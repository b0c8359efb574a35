import path from "node:path";

import * as strings from "../text/strings.js";
import type { Example } from "./settings.js";

/** The definition in `example/agents`, and its goal. */
export const EXAMPLE_SUBAGENT = "tour";
export const EXAMPLE_GOAL = strings.runs.exampleGoal;

/** The runner that can only run the example. */
export const EXAMPLE_RUNNER = "subagent-sidecar-example";

/**
 * Return the example: a definition that comes with the extension, executed by a program that comes
 * with the sidecar. It reads files and needs no model, key or network.
 */
export function exampleIn(extensionPath: string, python: string): Example {
  return {
    directory: path.join(extensionPath, "example", "agents"),
    runnerName: EXAMPLE_RUNNER,
    runner: {
      type: "command",
      format: "events",
      command: [python, "-I", "-m", "sidecar.cli.demo.agent", "tour"],
    },
  };
}

/** Return the folder that the example reads when none is open. */
export function exampleFolder(extensionPath: string): string {
  return path.join(extensionPath, "example");
}
