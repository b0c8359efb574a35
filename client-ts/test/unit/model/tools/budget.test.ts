import fc from "fast-check";
import { expect, test } from "vitest";

import { fit } from "../../../../src/model/tools/budget.js";

const words = (text: string) => Promise.resolve(text.split(/\s+/u).filter(Boolean).length);
const note = (left: number) => `[${left} left out]`;

test("what fits is not changed", async () => {
  expect(await fit("a b c", 3, words, note)).toBe("a b c");
});

test("what does not fit keeps its beginning and says how much is missing", async () => {
  const shown = await fit("word ".repeat(1_000), 100, words, note);
  expect(shown).toMatch(/^word word .*\n\n\[\d+ left out\]$/su);
  expect(await words(shown)).toBeLessThanOrEqual(100);
});

test("the result fits any budget that holds the note, and splits no character", async () => {
  const tokens = fc.array(fc.constantFrom("a", "bb ", "🦊", "\n"), { maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(tokens, fc.integer({ min: 20, max: 400 }), async (parts, budget) => {
      const count = (text: string) => Promise.resolve(text.length);
      const shown = await fit(parts.join(""), budget, count, note);
      expect(shown.length).toBeLessThanOrEqual(budget);
      expect(Buffer.from(shown).toString()).toBe(shown); // A lone surrogate would change.
    }),
  );
});
