import fc from "fast-check";
import { expect, test } from "vitest";

import { diffOf, MAX_ROWS } from "../../../../webview/model/conversation/diff.js";

const line = fc.constantFrom("a", "b", "c", "");
const text = fc
  .array(line, { maxLength: 12 })
  .map((lines) => lines.map((each) => `${each}\n`).join(""));

/** A text with its changes shown as `-` and `+`. */
function shown(before: string, after: string): string[] {
  const signs = { same: " ", old: "-", new: "+", gap: "@" };
  return diffOf(before, after).rows.map((row) => signs[row.kind] + row.text);
}

test("changed lines are shown with those around them", () => {
  expect(shown("1\n2\n3\n", "1\ntwo\n3\n")).toEqual([" 1", "-2", "+two", " 3"]);
});

test("what is far from a change is left out, and the gap says where it continues", () => {
  const before = Array.from({ length: 30 }, (_, at) => `${at + 1}\n`);
  const after = before.with(19, "twenty\n");
  const rows = shown(before.join(""), after.join(""));
  expect(rows[0]).toBe("@line 17");
  expect(rows).toHaveLength(1 + 3 + 2 + 3);
});

test("a new file is all added, equal texts have no rows", () => {
  expect(shown("", "a\nb")).toEqual(["+a", "+b"]);
  expect(shown("a\n", "a\n")).toEqual([]);
});

test("short texts can be read from their diff, each from its own lines", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { rows } = diffOf(`${before}old\n`, `${after}new\n`);
      const side = (kind: string): string =>
        rows
          .map((row) => (row.kind === "same" || row.kind === kind ? `${row.text}\n` : ""))
          .join("");
      fc.pre(rows.every(({ kind }) => kind !== "gap"));
      expect([`${before}old\n`, `${after}new\n`]).toEqual([
        expect.stringMatching(new RegExp(`${side("old")}$`)),
        expect.stringMatching(new RegExp(`${side("new")}$`)),
      ]);
    }),
    { numRuns: 200 },
  );
});

test("texts that have nothing in common are compared in bounded time and rows", () => {
  const lines = (word: string): string =>
    Array.from({ length: 8_000 }, (_, at) => `${word} ${at}\n`).join("");
  const { rows, left, added, removed } = diffOf(lines("old"), lines("new"));
  expect(rows).toHaveLength(MAX_ROWS);
  expect([added, removed, left]).toEqual([8_000, 8_000, 16_000 - MAX_ROWS]);
});

test("texts that differ in too many lines to compare still show what both begin and end with", () => {
  const same = Array.from({ length: 10 }, (_, at) => `same ${at}\n`).join("");
  const lines = (word: string): string =>
    Array.from({ length: 1_000 }, (_, at) => `${word} ${at}\n`).join("");
  const diff = diffOf(`${same}${lines("old")}${same}`, `${same}${lines("new")}${same}`);
  expect([diff.added, diff.removed]).toEqual([1_000, 1_000]);
  expect(diff.rows.slice(0, 5).map(({ text }) => text)).toEqual([
    ...["line 8", "same 7", "same 8", "same 9", "old 0"],
  ]);
});
