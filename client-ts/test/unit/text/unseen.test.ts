import fc from "fast-check";
import { expect, test } from "vitest";

import { withHiddenShown, withoutUnseen } from "../../../src/text/unseen.js";
import { oneLine, rowText, unlinked, withoutIcons } from "../../../src/text/words.js";
import { exact } from "../../../webview/text/format.js";

/** RLM, ALM, zero width, word joiner, BOM, soft hyphen, tag, variation selectors, Hangul fillers. */
const HIDDEN = [
  ...["\u200f", "\u061c", "\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u{e0041}"],
  ...["\u{e0100}", "\ufe0f", "\u3164", "\uffa0", "\u202e", "\u2066", "\u2800"],
];

test.each(HIDDEN)("%j is removed from titles and shown in commands", (char) => {
  expect(oneLine(`a${char}b`, 10)).toBe("ab");
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  expect(exact(`rm${char}x`)).toBe(`rm<U+${code}>x`);
});

test("letters of other scripts stay", () => {
  expect([exact("rmаx"), oneLine("日本語 ñ é", 20)]).toEqual(["rmаx", "日本語 ñ é"]);
});

test("nothing hidden is left in any text", () => {
  const hidden = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(withoutUnseen(text)).not.toMatch(hidden);
      expect(withHiddenShown(text)).not.toMatch(hidden);
    }),
  );
});

test("a notification makes no link of a model's words", () => {
  expect(unlinked("[x](command:evil)")).toBe("[x] (command:evil)");
});

test("a quick pick draws no icon of a model's words, and a command stays as it is", () => {
  expect(rowText("$(check) Allowed $(sync~spin)", 50)).toBe("\\$(check) Allowed \\$(sync~spin)");
  expect(withoutIcons("\\$(check)")).toBe("\\$(check)");
  expect(withoutIcons("echo $(git log) $HOME")).toBe("echo $(git log) $HOME");
});
