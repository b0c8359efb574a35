import { afterEach, expect, test, vi } from "vitest";

import { excludedBy, findFiles, lettersOf, patternOf, ranked } from "../../../src/agents/files.js";
import type { Ignored } from "../../../src/agents/ignored.js";
import { files, Uri, workspace } from "../../vscode.js";

afterEach(() => {
  workspace.workspaceFolders = undefined;
  files.length = 0;
});

/** Find files in an open folder while git answers; return what is shown, in order. */
async function found(paths: readonly string[], git: Promise<Ignored>): Promise<unknown[]> {
  files.push(...paths);
  workspace.workspaceFolders = [{ uri: Uri.file("/house") }];
  const show = vi.fn();
  await findFiles("a", show, { in: () => git });
  return show.mock.calls.map(([shown]) => shown as unknown);
}

test("thousands of files that git ignores, in many folders, leave room for the others", async () => {
  const folders = Array.from({ length: 900 }, (_, at) => `lib${at}/cache`);
  const crowd = folders.flatMap((folder) => [1, 2, 3, 4].map((at) => `${folder}/a${at}.pyc`));
  const ignored = folders.map((folder) => `${folder}/`);
  const shown = await found([...crowd, "src/a.py"], Promise.resolve(ignored));
  expect(shown).toEqual([["src/a.py"]]);
});

test("while git takes long, what is found without it is shown; then what it leaves", async () => {
  let answer: (ignored: Ignored) => void = () => undefined;
  const git = new Promise<Ignored>((resolve) => (answer = resolve));
  const show = vi.fn();
  files.push("dist/a.js", "src/a.py");
  workspace.workspaceFolders = [{ uri: Uri.file("/house") }];
  const done = findFiles("a", show, { in: () => git });
  await vi.waitFor(() => {
    expect(show.mock.calls).toEqual([[["src/a.py", "dist/a.js"]]]);
  });
  answer(["dist/"]);
  await done;
  expect(show.mock.calls.slice(1)).toEqual([[["src/a.py"]]]);
});

test("a pattern finds a text in any case, in names and folders, and never means more", () => {
  expect(patternOf("a1/B")).toBe("{**/*[aA]1/[bB]*,**/*[aA]1/[bB]*/**}");
  expect(patternOf("")).toBe("**/*");
  expect(patternOf("*{}[]?!,\\\\")).toBe("**/*");
});

test("files whose names begin with the text come first, the nearest of them before the rest", () => {
  const paths = ["days/x.py", "lib/holidays.py", "src/deep/days.py", "src/Days.ts", "src/Days.ts"];
  expect(ranked(paths, "days")).toEqual([
    "src/Days.ts",
    "src/deep/days.py",
    "lib/holidays.py",
    "days/x.py",
  ]);
});

test("letters are found in their order, each part of a path in a folder of its own", () => {
  expect(lettersOf("dy")).toBe("**/*[dD]*[yY]*");
  expect(lettersOf("s/1")).toBe("**/*[sS]*/**/*1*");
  expect(lettersOf("d*")).toBeUndefined();
});

test("what searches leave out is one pattern; what cannot be in it, and conditions, are not", () => {
  const setting = {
    "**/node_modules": true,
    "**/a": false,
    "**/*.{b,c}": true,
    "**/d": { when: "e" },
  };
  expect(excludedBy(setting)).toBe("{**/node_modules}");
  expect(excludedBy({ ...setting, out: true })).toBe("{**/node_modules,out}");
  expect(excludedBy(setting, ["dist"])).toBe("{**/node_modules,dist}");
  expect(excludedBy({})).toBeUndefined();
});
