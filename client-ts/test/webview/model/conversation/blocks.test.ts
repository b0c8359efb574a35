import fc from "fast-check";
import { expect, test } from "vitest";

import {
  appendToBlock,
  type Block,
  blockSource,
  HARD_CHARS,
} from "../../../../webview/model/conversation/blocks.js";

function appendAll(pieces: readonly string[]): Block[] {
  return pieces.reduce<Block[]>(
    (blocks, piece) => [
      ...blocks.slice(0, -1),
      ...appendToBlock(blocks.at(-1) ?? { text: "" }, piece),
    ],
    [{ text: "" }],
  );
}

const line = fc.constantFrom(
  "word ",
  "*a* ".repeat(90),
  "| a | b |\n| --- | --- |\n",
  "| 1 | 2 |\n".repeat(60),
  "```\n",
  "\n\n",
  "~~~~\n",
  "\n",
  "😀".repeat(700),
  "x".repeat(2_900),
);

test("the blocks of a message, joined, are the message, and none is too long", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (pieces) => {
      const blocks = appendAll(pieces);
      expect(blocks.map(({ text }) => text).join("")).toBe(pieces.join(""));
      expect(blocks.every(({ text }) => text.length <= HARD_CHARS)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test("no block ends within a character", () => {
  const blocks = appendAll([`a${"😀".repeat(HARD_CHARS)}`]);
  expect(blocks.every(({ text }) => !/\p{Surrogate}/u.test(text))).toBe(true);
});

test("a long message is cut between paragraphs", () => {
  const [first, second] = appendAll([`${"a".repeat(3_500)}\n\n${"b".repeat(100)}`]);
  expect(first?.text.endsWith("a\n\n")).toBe(true);
  expect(second?.text).toBe("b".repeat(100));
});

test("a block that begins within a code fence opens it again", () => {
  const blocks = appendAll(["```ts\n" + "const a = 1;\n".repeat(1_000)]);
  const second = blocks[1];
  expect(second?.fence).toBe("```ts");
  expect(second && blockSource(second)).toMatch(/^```ts\nconst a = 1;\n/u);
});

test("what follows a closed fence does not open it again", () => {
  const code = "```\n" + "x\n".repeat(1_000) + "```\n";
  const blocks = appendAll([code + "word ".repeat(2_000) + "\n\nend"]);
  expect(blocks.length).toBeGreaterThan(1);
  expect(blocks.at(-1)?.fence).toBeUndefined();
});

test("code within a line opens no fence", () => {
  const blocks = appendAll(["```npm test``` runs them.\n" + "words and words\n".repeat(1_000)]);
  expect(blocks.length).toBeGreaterThan(1);
  expect(blocks.at(-1)?.fence).toBeUndefined();
});

test("a block of many small elements is cut sooner, after a word", () => {
  const blocks = appendAll(["*a* ".repeat(2_000)]);
  expect(Math.max(...blocks.map(({ text }) => text.length))).toBeLessThan(1_050);
  expect(blocks.every(({ text }) => text.endsWith("*a* "))).toBe(true);
});

test("a block of many pieces of code is cut even sooner", () => {
  const blocks = appendAll(["`a` ".repeat(2_000)]);
  expect(Math.max(...blocks.map(({ text }) => text.length))).toBeLessThan(500);
});

test("a block that begins within a table repeats its head", () => {
  const head = "| name | size |\n| :--- | ---: |";
  const blocks = appendAll([`Files:\n\n${head}\n${"| a.py | 1 |\n".repeat(1_000)}`]);
  expect(blocks.length).toBeGreaterThan(5);
  for (const block of blocks.slice(1)) {
    expect(blockSource(block).startsWith(`${head}\n| a.py | 1 |\n`)).toBe(true);
  }
});

test("what follows a table does not repeat its head", () => {
  const table = `| a |\n| --- |\n${"| 1 |\n".repeat(400)}`;
  const sources = appendAll([`${table}\n${"word ".repeat(2_000)}`]).map(blockSource);
  const last = sources.at(-1) ?? "";
  expect(last).toContain("word");
  expect(last).not.toContain("|");
});

test("lines with bars in code are not a table", () => {
  const blocks = appendAll(["```\n" + "a | b\n".repeat(2_000)]);
  expect(blocks.length).toBeGreaterThan(1);
  expect(blocks.every(({ table }) => table === undefined)).toBe(true);
});
