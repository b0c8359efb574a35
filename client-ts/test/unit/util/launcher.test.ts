import { execFile } from "node:child_process";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import { afterEach, beforeEach, expect, test } from "vitest";

import { launcherIn, launcherText, writeLauncher } from "../../../src/util/launcher.js";

let storage: string;

beforeEach(async () => {
  storage = await mkdtemp(path.join(tmpdir(), "launcher-"));
});
afterEach(() => rm(storage, { recursive: true }));

/** Write a program that prints its arguments. */
async function program(name: string): Promise<string> {
  const file = path.join(storage, name);
  await writeFile(file, `#!/bin/sh\necho "${name.split(" ", 1).join("")} $*"\n`, { mode: 0o755 });
  return file;
}

test("the launcher runs the sidecar of the newest environment, with its arguments", async () => {
  await writeLauncher(storage, await program("old"));
  const file = await writeLauncher(storage, await program("new it's"));
  expect(file).toBe(launcherIn(storage));
  const { stdout } = await promisify(execFile)(file, ["mcp", "--workspace", "/a b"]);
  expect(stdout).toBe("new -I -m sidecar mcp --workspace /a b\n");
});

test("a launcher that is current is not written again", async () => {
  const python = await program("python");
  const file = await writeLauncher(storage, python);
  const { ino } = await stat(file);
  await writeLauncher(storage, python);
  expect((await stat(file)).ino).toBe(ino);
});

test("on Windows it is a batch file", () => {
  expect(launcherText(String.raw`C:\100%\python.exe`, "win32")).toBe(
    '@"C:\\100%%\\python.exe" -I -m sidecar %*\r\n',
  );
});
