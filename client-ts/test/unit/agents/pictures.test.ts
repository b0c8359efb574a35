// Which files of a workspace a page may load as images: a model chooses them.
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { isPicture } from "../../../src/agents/pictures.js";
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
  expect(await isPicture(inFolder("docs/a.png"))).toBe(true);
  expect(await isPicture(inFolder("linked/a.png"))).toBe(true);
});

test("what is elsewhere may not be shown, whatever leads there", async () => {
  await symlink(path.join(base, "outside.png"), inFolder("a.png"));
  await symlink(base, inFolder("up"));
  for (const name of ["a.png", "up/outside.png", "../outside.png", "docs", "none.png"]) {
    expect(await isPicture(inFolder(name))).toBe(false);
  }
  workspace.workspaceFolders = undefined;
  expect(await isPicture(inFolder("docs/a.png"))).toBe(false);
});

test.each(["a.svg", "a.svgz", "a.SVG", "a.html", "a", "png"])(
  "%s has no format that may be shown",
  async (name) => {
    await writeFile(inFolder(name), "x");
    expect(await isPicture(inFolder(name))).toBe(false);
  },
);

test.skipIf(process.platform === "win32")("what may never end may not be shown", async () => {
  execFileSync("mkfifo", [inFolder("pipe.png")]);
  await symlink("/dev/zero", inFolder("zero.png"));
  await writeFile(inFolder("large.png"), "");
  await truncate(inFolder("large.png"), 20 * 1024 * 1024 + 1);
  for (const name of ["pipe.png", "zero.png", "large.png"]) {
    expect(await isPicture(inFolder(name))).toBe(false);
  }
});
