import path from "node:path";

import type { Example } from "./settings.js";

/** The definition in `example/agents`, and what it is asked to do. */
export const EXAMPLE_SUBAGENT = "tour";
export const EXAMPLE_GOAL = "Look around in this folder and tell me what is here.";

/** The runner that only knows how to do the example. */
export const EXAMPLE_RUNNER = "subagent-sidecar-example";

/**
 * The example: a definition that comes with the extension, run by a program that comes with the
 * sidecar. It reads files and reports; it needs no model, no key and no network.
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

/** The folder the example looks around in when none is open. */
export function exampleFolder(extensionPath: string): string {
  return path.join(extensionPath, "example");
}
