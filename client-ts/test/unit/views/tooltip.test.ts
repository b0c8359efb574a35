import { expect, test } from "vitest";

import { tooltip } from "../../../src/views/tooltip.js";

test("a tooltip shows hostile text as text, and leaves out what is absent", () => {
  const { value } = tooltip("<b>[x](command:evil)", [
    ["Mode", undefined],
    ["Folder", "*a*"],
  ]);
  expect(value).toBe("\\<b\\>\\[x\\]\\(command:evil\\)\n\n**Folder:** \\*a\\*");
});
