import fc from "fast-check";
import { expect, test } from "vitest";
import { ResponseError } from "vscode-jsonrpc/node";

import {
  queryErrorMark,
  queryErrorText,
  messageSearch,
  queryError,
} from "../../../src/text/queryText.js";

test("a refused query tells where and what was expected", () => {
  const data = { position: 7, expected: "a value for status" };
  const problem = queryError(new ResponseError(-32602, "query: …", data));
  expect(problem).toEqual(data);
  expect(problem && queryErrorText(problem)).toBe("At character 8: expected a value for status");
});

test("another error is not a problem of the query", () => {
  const errors = [
    new Error("gone"),
    new ResponseError(-32602, "limit"),
    new ResponseError(-32603, "x"),
  ];
  expect(errors.map(queryError)).toEqual([undefined, undefined, undefined]);
});

test("the place of a problem counts characters, not UTF-16 units", () => {
  expect(queryErrorMark("🌧 cost>", { position: 7, expected: "a number" })).toBe("🌧 cost>▸");
});

test.each([
  ["broken roof", { text: "broken roof*" }],
  ["broken roof ", { text: "broken roof" }],
  ['"broken roof"', { text: '"broken roof"' }],
  ["status:failed roof cost>1", { text: "roof", query: "status:failed cost>1" }],
  ["tag:release roof ", { text: "roof", query: "tag:release" }],
  ['-mode:"a b",c roof AND tile ', { text: "roof tile", query: '-mode:"a b",c' }],
  [
    "title:roof id:0199 tile created>2026-01-31 duration<2h",
    { text: "tile", query: "title:roof id:0199 created>2026-01-31 duration<2h" },
  ],
  ["http://host/x", { text: "http://host/x" }],
])(
  "of %s the words are looked for in messages, in the tasks that the fields keep",
  (typed, wanted) => {
    expect(messageSearch(typed)).toEqual(wanted);
  },
);

test.each(["", "ab", "status:failed", "roof OR tile", "NOT roof", "-roof", "(roof)", '-"a roof"'])(
  "for %j messages are not looked through",
  (typed) => {
    expect(messageSearch(typed)).toBeUndefined();
  },
);

test("whatever is typed, every word that is looked for was typed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (typed) => {
      const words = messageSearch(typed)?.text.split(/\s+/u) ?? [];
      return words.every((word) => typed.includes(word.replace(/\*$/u, "")));
    }),
    { numRuns: 200 },
  );
});
