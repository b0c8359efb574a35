import { expect, test } from "vitest";

import { imagePaths } from "../../../src/offers/equipment.js";

test.each([
  ["Compare @docs/a.png and @b.JPEG, please (@c.webp).", ["docs/a.png", "b.JPEG", "c.webp"]],
  ["@a.png and @a.png", ["a.png"]],
  ['See @"my docs/a b.png", (@"c.gif") and @"d.md"', ["my docs/a b.png", "c.gif"]],
  ["mail me@a.png, read @a.md, @a.pngx and @a.png/b", []],
  ["@../a.png @/a.png @docs/../../a.png @C:\\a.png", []],
  ["", []],
])("of %j the images are %j", (text, paths) => {
  expect(imagePaths(text)).toEqual(paths);
});
