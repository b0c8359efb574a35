import { cp, rm } from "node:fs/promises";
import path from "node:path";

import { EXAMPLE_RUNNER } from "../exampleNames.js";
import type { Example } from "./settings.js";

/**
 * Return the example: a definition that comes with the extension, executed by a program that comes
 * with the sidecar. It needs no model, key or network.
 */
export function exampleIn(extensionPath: string, python: string): Example {
  return {
    directory: path.join(extensionPath, "example", "agents"),
    runnerName: EXAMPLE_RUNNER,
    runner: { type: "acp", command: [python, "-I", "-m", "sidecar.cli.demo.example"] },
  };
}

let written: Promise<unknown> = Promise.resolve();

/** Write a fresh copy of the project on which the example works into a folder, and return that. */
export async function exampleProject(extensionPath: string, folder: string): Promise<string> {
  const copied = written.then(() => copyProject(extensionPath, folder));
  written = copied.catch(() => undefined); // Two copies at once would get in each other's way.
  await copied;
  return folder;
}

async function copyProject(extensionPath: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await cp(path.join(extensionPath, "example", "project"), folder, { recursive: true });
}
