import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { Attaching } from "../../../src/agents/attaching.js";
import { shown } from "../../vscode.js";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "attaching-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const DAY_MS = 24 * 60 * 60 * 1_000;

function kept(): string {
  return path.join(folder, "kept");
}

function content(name: string, text = "an image") {
  return { contents: [{ name, data: Buffer.from(text).toString("base64") }] };
}

test("a file is attached by its path, and a pasted content by that of a private copy", async () => {
  const attaching = new Attaching(kept());
  const file = path.join(folder, "days off.py");
  await writeFile(file, "");
  expect(await attaching.paths({ uris: [`file:${file}`] })).toEqual([file]);
  const [copy = ""] = await attaching.paths(content("shot.png"));
  expect(path.basename(copy)).toBe("shot.png");
  expect(await readFile(copy, "utf8")).toBe("an image");
  expect((await stat(copy)).mode & 0o777).toBe(0o600);
  expect(await attaching.paths(content("shot.png"))).toEqual([copy]);
});

test("a name cannot lead out of the folder of the copies", async () => {
  const attaching = new Attaching(kept());
  for (const name of ["../../x", "..", "", "a/b\\..", "/etc/passwd", "a\u0000b"]) {
    const [copy = ""] = await attaching.paths(content(name));
    expect(path.dirname(path.dirname(copy))).toBe(kept());
  }
});

test("a folder and a missing file are refused by their names", async () => {
  const attaching = new Attaching(kept());
  const refusal = (name: string) => `Can't read ${name}. Attach files, not folders.`;
  const name = path.basename(folder);
  await expect(attaching.paths({ uris: [`file:${folder}`] })).rejects.toThrow(refusal(name));
  await expect(attaching.paths({ uris: ["file:/none/x.md"] })).rejects.toThrow(refusal("x.md"));
});

test("without anything to attach, the user chooses, or does not", async () => {
  const attaching = new Attaching(kept());
  const file = path.join(folder, "a.md");
  await writeFile(file, "");
  shown.answers = [file];
  expect(await attaching.paths({})).toEqual([file]);
  expect(await attaching.paths({})).toEqual([]);
});

test("copies are removed a month after they were attached last", async () => {
  const attaching = new Attaching(kept());
  const [old = ""] = await attaching.paths(content("old.png", "old"));
  const [used = ""] = await attaching.paths(content("used.png", "used"));
  for (const each of [old, used]) {
    const time = new Date(Date.now() - 31 * DAY_MS);
    await utimes(path.dirname(each), time, time);
  }
  await attaching.paths({ ...content("used.png", "used") });
  expect((await readdir(kept())).length).toBe(1);
});
