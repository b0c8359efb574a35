import { expect, test } from "vitest";

import { excludedBy, lettersOf, patternOf, ranked } from "../../../src/agents/files.js";

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
