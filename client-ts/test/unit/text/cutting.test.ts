import fc from "fast-check";
import { expect, test } from "vitest";

import { cutEnd, cutMiddle, firstOf, lastOf } from "../../../src/text/cutting.js";

/** Characters of several UTF-16 units: an emoji, a flag, a family, a letter with two accents, a line break. */
const CHARACTERS = ["🦊", "🇩🇪", "👩‍👩‍👧‍👦", "e\u0301\u0323", "\r\n", "ชี้", "각"];

const texts = fc
  .array(fc.constantFrom("a", " ", ...CHARACTERS), { minLength: 1, maxLength: 80 })
  .map((characters) => characters.join(""));

const charactersOf = (text: string): string[] =>
  [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);

test("the beginning and the end of a text are whole characters of it, as many as fit", () => {
  fc.assert(
    fc.property(texts, fc.nat(120), (text, most) => {
      const all = charactersOf(text);
      const fitting = (characters: readonly string[]): string[] => {
        const ends = characters.map((_, at) => characters.slice(0, at + 1).join("").length);
        return characters.slice(0, ends.filter((end) => end <= most).length);
      };
      expect(firstOf(text, most)).toBe(fitting(all).join(""));
      const backwards = fitting(all.toReversed());
      expect(lastOf(text, most)).toBe(backwards.toReversed().join(""));
    }),
  );
});

test("a text that is cut keeps within its limit, and says what is missing", () => {
  expect(cutEnd("ab🦊cd", 6)).toBe("ab🦊cd");
  expect(cutEnd("ab🦊cd", 5)).toBe("ab🦊…");
  expect(cutEnd("ab🦊cd", 4)).toBe("ab…");
  expect(cutMiddle("abcdefghij", 9)).toBe("abc\n… (1 character omitted) …\nefghij");
  expect(cutMiddle("ab🦊defg🦊j", 9)).toBe("ab\n… (3 characters omitted) …\nefg🦊j");
  expect(cutMiddle("abcdefghi", 9)).toBe("abcdefghi");
});

test("the cut counts what it leaves out, whatever characters it cuts between", () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 60 }), (text, limit) => {
      const [, head, left, tail] =
        /^([^]*)\n… \((\d+) characters? omitted\) …\n([^]*)$/u.exec(cutMiddle(text, limit)) ?? [];
      if (text.length > limit) {
        expect(`${head}`.length + Number(left) + `${tail}`.length).toBe(text.length);
        expect(text.startsWith(`${head}`) && text.endsWith(`${tail}`)).toBe(true);
        expect([...charactersOf(`${head}`), ...charactersOf(`${tail}`)]).toSatisfy(
          (shown: string[]) => shown.every((one) => charactersOf(text).includes(one)),
        );
      }
    }),
  );
});

test("a letter with thousands of accents is cut, but none of its accents is", () => {
  const tower = `a${"\u0301".repeat(5_000)}`;
  expect(firstOf(tower, 1_000)).toBe(tower.slice(0, 1_000));
  expect(lastOf(tower, 1_000)).toHaveLength(1_000);
  const foxes = `a${"🦊\u200D".repeat(5_000)}`;
  for (const most of [1_000, 1_001, 1_002]) {
    expect(Buffer.from(firstOf(foxes, most)).toString()).toBe(firstOf(foxes, most));
    expect(Buffer.from(lastOf(foxes, most)).toString()).toBe(lastOf(foxes, most));
  }
});
