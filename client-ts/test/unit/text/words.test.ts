import { expect, test } from "vitest";

import { byteSize, money, oneLine } from "../../../src/text/words.js";

test("text is put on one line and cut", () => {
  expect(oneLine(" a\n b ", 3)).toBe("a b");
  expect(oneLine("abcdef", 4)).toBe("abc…");
});

test("no emoji, flag or accented letter is cut in two", () => {
  expect(oneLine("ab🦊cd", 4)).toBe("ab…");
  expect(oneLine("ab🇩🇪cd", 6)).toBe("ab…");
  expect(oneLine("abe\u0301cd", 4)).toBe("ab…");
  expect(oneLine("ab🦊cd", 5)).toBe("ab🦊…");
});

test("an unknown amount has no text", () => {
  expect([money(undefined), money(null), money(0)]).toEqual([undefined, undefined, "$0.00"]);
  expect([0, 1_023, 1_536, 3 * 1024 ** 3].map(byteSize)).toEqual([
    "0\u00A0B",
    "1,023\u00A0B",
    "1.5\u00A0KB",
    "3\u00A0GB",
  ]);
});
