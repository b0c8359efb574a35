import { expect, test } from "vitest";

import { mentionOf } from "../../../src/offers/mention.js";

test.each([
  ["src/days.py", undefined, "@src/days.py"],
  ["src/days.py", [3, 9], "@src/days.py#L3-L9"],
  ["src/days.py", [3, 3], "@src/days.py#L3"],
  ["my docs/days off.py", [3, 9], '@"my docs/days off.py"#L3-L9'],
] as const)("%s with the lines %j is named %s", (file, lines, text) => {
  expect(mentionOf(file, lines)).toBe(text);
});
