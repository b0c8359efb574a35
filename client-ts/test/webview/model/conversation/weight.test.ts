import { expect, test } from "vitest";

import { weightOf } from "../../../../webview/model/conversation/weight.js";

function weigh(text: string): number {
  return weightOf({ kind: "message", messageId: "m", seq: 1, ts: 1, block: { text } });
}

test("an ordinary text weighs as much as it is long", () => {
  const text =
    "It reads **lines**, `names` and [links](https://example.com/a) of the *whole* tree of a project. It works. ";
  expect(weigh(text.repeat(20))).toBe(20 * text.length);
});

test("a text of many small elements weighs more", () => {
  const long = 2_000;
  expect(weigh("*a* ".repeat(long / 4))).toBe(4 * long);
  expect(weigh("`a` ".repeat(long / 4))).toBe(10 * long);
  expect(weigh("| a ".repeat(long / 4))).toBe(4 * long);
  expect(weigh("- a\n".repeat(long / 4))).toBe(4 * long);
});
