// Which files of a workspace a page may load as images: a model chooses them.
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { pictureVersion } from "../../../src/agents/pictures.js";
import { Uri, workspace } from "../../vscode.js";

let base: string;
let folder: string;

beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), "pictures-"));
  folder = path.join(base, "shop");
  await mkdir(path.join(folder, "docs"), { recursive: true });
  await writeFile(path.join(base, "outside.png"), "x");
  await writeFile(path.join(folder, "docs", "a.png"), "x");
  workspace.workspaceFolders = [{ uri: Uri.file(folder) }];
});

afterEach(async () => {
  workspace.workspaceFolders = undefined;
  await rm(base, { recursive: true });
});

function inFolder(name: string): string {
  return path.join(folder, name);
}

test("files of the workspace may be shown, also by links that stay in it", async () => {
  await symlink(inFolder("docs"), inFolder("linked"));
  expect(await pictureVersion(inFolder("docs/a.png"))).toMatch(/^[\d.]+-1$/u);
  expect(await pictureVersion(inFolder("linked/a.png"))).toMatch(/^[\d.]+-1$/u);
});

test("what is elsewhere may not be shown, whatever leads there", async () => {
  await symlink(path.join(base, "outside.png"), inFolder("a.png"));
  await symlink(base, inFolder("up"));
  for (const name of ["a.png", "up/outside.png", "../outside.png", "docs", "none.png"]) {
    expect(await pictureVersion(inFolder(name))).toBeUndefined();
  }
  workspace.workspaceFolders = undefined;
  expect(await pictureVersion(inFolder("docs/a.png"))).toBeUndefined();
});

test.each(["a.svg", "a.svgz", "a.SVG", "a.html", "a", "png"])(
  "%s has no format that may be shown",
  async (name) => {
    await writeFile(inFolder(name), "x");
    expect(await pictureVersion(inFolder(name))).toBeUndefined();
  },
);

test.skipIf(process.platform === "win32")("what may never end may not be shown", async () => {
  execFileSync("mkfifo", [inFolder("pipe.png")]);
  await symlink("/dev/zero", inFolder("zero.png"));
  await writeFile(inFolder("large.png"), "");
  await truncate(inFolder("large.png"), 20 * 1024 * 1024 + 1);
  for (const name of ["pipe.png", "zero.png", "large.png"]) {
    expect(await pictureVersion(inFolder(name))).toBeUndefined();
  }
});

test("a file that is written again has another version", async () => {
  const name = inFolder("docs/a.png");
  const first = await pictureVersion(name);
  expect(await pictureVersion(name)).toBe(first);
  await utimes(name, 1, 1);
  const second = await pictureVersion(name);
  await writeFile(name, "xy");
  await utimes(name, 1, 1);
  expect(new Set([first, second, await pictureVersion(name)]).size).toBe(3);
});
