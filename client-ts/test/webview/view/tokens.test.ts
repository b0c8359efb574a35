import fc from "fast-check";
import { expect, test } from "vitest";

import { languageOf } from "../../../webview/view/markdown/languages.js";
import { tokensOf } from "../../../webview/view/markdown/tokens.js";

const LANGUAGES =
  "js json py bash c java go rust ruby php sql css yaml toml dockerfile html diff".split(" ");

/** The texts with a color, each after its kind. */
function colored(code: string, language: string): string[] {
  return tokensOf(code, language).map(
    ({ kind, start, end }) => `${kind} ${code.slice(start, end)}`,
  );
}

test.each([
  [
    "ts",
    "const a1 = f('b\\'', 2.5); // c",
    ["keyword const", "name f", "string 'b\\''", "number 2.5", "comment // c"],
  ],
  ["js", "/* a\nb */ `c\n${d}`", ["comment /* a\nb */", "string `c\n${d}`"]],
  [
    "py",
    '"""a\n"b" """\ndef c(): return None # d',
    [
      'string """a\n"b" """',
      "keyword def",
      "name c",
      "keyword return",
      "keyword None",
      "comment # d",
    ],
  ],
  ["json", '{"a": "b", "c": true}', ['name "a"', 'string "b"', 'name "c"', "keyword true"]],
  ["yaml", "a-b: 1 # c", ["name a-b", "number 1", "comment # c"]],
  ["rust", "fn a<'b>() {}", ["keyword fn"]],
  [
    "html",
    '<!-- a --><b c="d">e</b>',
    [
      "comment <!-- a -->",
      "keyword <b",
      "name c",
      'string "d"',
      "keyword >",
      "keyword </b",
      "keyword >",
    ],
  ],
  ["css", "a-b { color: red; } /* c */", ["name color", "comment /* c */"]],
  ["sql", "SELECT a FROM b -- c", ["keyword SELECT", "keyword FROM", "comment -- c"]],
  ["diff", "@@ -1 +1 @@\n-a 1\n+b\n c", ["comment @@ -1 +1 @@", "removed -a 1", "added +b"]],
])("code in %s has the colors of its parts: %s", (language, code, parts) => {
  expect(colored(code, language)).toEqual(parts);
});

test("a quote without an end colors its line, a comment without an end the rest", () => {
  expect(colored('a = "b\nc', "js")).toEqual(['string "b']);
  expect(colored("a /* b\nc", "js")).toEqual(["comment /* b\nc"]);
});

test.each([
  ["ts", "ts"],
  ["TypeScript title=a.ts", "typescript"],
  ["rust,ignore", "rust"],
  ["js {1,3}", "js"],
  ["c++", "c++"],
])("the words %j after a fence name %s", (info, name) => {
  expect(languageOf(info)).toBe(name);
});

test.each(["", "  ", "mermaid", "__proto__", "text"])(
  "%j names no language with colors",
  (info) => {
    expect(languageOf(info)).toBeUndefined();
    expect(tokensOf("if (a)", info)).toEqual([]);
  },
);

test("whatever the code, its colored parts follow each other and are inside it", () => {
  const piece = fc.constantFrom(
    ...[
      '"',
      "'",
      "`",
      "/*",
      "*/",
      "//",
      "#",
      "--",
      "<!--",
      '"""',
      "\\",
      "\n",
      "a",
      "-",
      "1.",
      "é",
      "🙂",
    ],
    ...["(", "=", ":", "<b", "+", "@@ "],
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...LANGUAGES),
      fc.array(piece, { maxLength: 40 }),
      (language, pieces) => {
        const code = pieces.join("");
        let at = 0;
        for (const { start, end } of tokensOf(code, language)) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(end).toBeGreaterThan(start);
          at = end;
        }
        expect(at).toBeLessThanOrEqual(code.length);
      },
    ),
  );
});
