import { expect, test } from "vitest";

import { patternOf, ranked } from "../../../src/agents/files.js";

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
