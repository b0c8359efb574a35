// Where code is applied: in the workspace only, wherever the path or a link on it leads.
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { codeFile } from "../../../src/apply/codeFile.js";

let root = "";
let folder = "";

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "code-file-"));
  folder = path.join(root, "work");
  await mkdir(path.join(folder, "src"), { recursive: true });
  await writeFile(path.join(folder, "src/a.py"), "");
  await writeFile(path.join(root, "secret"), "");
});
afterEach(() => rm(root, { recursive: true }));

function found(file: string, start = folder, folders = [folder]) {
  return codeFile(file, start, folders);
}

test("a file in the folder is found by its path there and by its whole path", async () => {
  const file = path.join(folder, "src/a.py");
  expect(await found("src/a.py")).toBe(file);
  expect(await found(file)).toBe(file);
  expect(await found("new/b.py")).toBe(path.join(folder, "new/b.py"));
});

test.each(["../secret", "src/../../secret", "/etc/passwd", "../new", "~/../../secret"])(
  "%s is outside",
  async (file) => {
    expect(await found(file)).toBeUndefined();
  },
);

test.each([
  ["a file", "secret"],
  ["nothing yet", "not-there"],
])("a link that leads outside to %s is refused", async (_, name) => {
  await symlink(path.join(root, name), path.join(folder, "link"));
  expect(await found("link")).toBeUndefined();
});

test("nor is a file new behind a link to a folder outside", async () => {
  await symlink(root, path.join(folder, "out"));
  expect(await found("out/new")).toBeUndefined();
});

test("in several folders, that of the run comes first, and then one that has the file", async () => {
  const other = path.join(root, "other");
  await mkdir(other);
  await writeFile(path.join(other, "b.py"), "");
  const folders = [folder, other];
  expect(await found("b.py", folder, folders)).toBe(path.join(other, "b.py"));
  expect(await found("c.py", other, folders)).toBe(path.join(other, "c.py"));
  expect(await found("../work/src/a.py", other, folders)).toBe(path.join(folder, "src/a.py"));
});
