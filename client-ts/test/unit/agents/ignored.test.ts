import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import {
  IgnoredFiles,
  ignoredIn,
  ignoredPatterns,
  withoutIgnored,
} from "../../../src/agents/ignored.js";

const FILES = [
  "src/a.py",
  "src/a.pyc",
  "dist/kept.js",
  "dist/a.js",
  "src/new.py",
  ".venv/lib/a.py",
];
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "ignored-"));
  for (const file of FILES) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), "");
  }
  await writeFile(path.join(folder, ".gitignore"), "*.pyc\ndist/\n.venv/\n");
  const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args]);
  git("init", "--quiet");
  git("add", "--force", "src/a.py", "dist/kept.js", ".gitignore");
});
afterAll(() => rm(folder, { recursive: true }));

test("what git ignores is left out, and what it tracks or does not know yet stays", async () => {
  const ignored = (await ignoredIn(folder)) ?? [];
  expect(withoutIgnored(FILES, ignored)).toEqual(["src/a.py", "dist/kept.js", "src/new.py"]);
  expect(ignoredPatterns(ignored)).toEqual([".venv"]);
});

test("in a folder of the repository, paths are those there", async () => {
  expect(await ignoredIn(path.join(folder, "src"))).toEqual(["a.pyc"]);
});

test("outside of a repository, nothing is ignored", async () => {
  const other = await mkdtemp(path.join(tmpdir(), "no-repository-"));
  expect(await ignoredIn(other)).toBeUndefined();
  expect(await ignoredIn(path.join(other, "gone"))).toBeUndefined();
  await rm(other, { recursive: true });
});

test("git is asked again after some seconds, and not for every key; nobody waits for its new answer", async () => {
  const files = new IgnoredFiles();
  const first = files.in(folder, 0);
  expect(files.in(folder, 9_000)).toBe(first);
  expect(files.in(folder, 11_000)).toBe(first);
  await vi.waitFor(() => {
    expect(files.in(folder, 12_000)).not.toBe(first);
  });
});

test("a folder whose name means more in a pattern does not become one", () => {
  expect(ignoredPatterns(["a[1]/", "b/", "c.txt"])).toEqual(["b"]);
});
