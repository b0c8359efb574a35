import { expect, test } from "vitest";

import {
  allTags,
  markKey,
  marksText,
  pinnedTasks,
  readMarks,
  readTags,
  withChange,
} from "../../../src/marks/marks.js";
import { withoutTags } from "../../../src/marks/tagQuery.js";

const ONE = { id: "1", root: "/r" };
const TWO = { id: "2", root: "/r" };
const MARKS = withChange(
  withChange(new Map(), [ONE], () => ({
    title: " The\nroof ",
    pinned: true,
    tags: ["b", "a", "b"],
  })),
  [TWO],
  () => ({ tags: ["Release"] }),
);

test("marks are kept clean, and one that says nothing is dropped", () => {
  expect(MARKS.get(markKey(ONE))).toEqual({ title: "The roof", pinned: true, tags: ["a", "b"] });
  expect(pinnedTasks(MARKS)).toEqual([ONE]);
  expect(allTags(MARKS)).toEqual(["a", "b", "Release"]);
  expect(withChange(MARKS, [ONE, TWO], () => ({ title: " ", tags: [] })).size).toBe(0);
});

test("marks are the same after they were written and read", () => {
  expect(readMarks(marksText(MARKS))).toEqual(MARKS);
});

test.each(["", "[]", "{", '{"x": {"pinned": true}}', '{"[\\"/r\\",\\"1\\"]": 3}', "null"])(
  "what is not a mark is dropped: %s",
  (text) => {
    expect(readMarks(text).size).toBe(0);
  },
);

test("tags are words, typed with commas or spaces, with or without a number sign", () => {
  expect(readTags("#release, to-review  später,, release")).toEqual([
    "release",
    "später",
    "to-review",
  ]);
  expect(readTags('a:b "c" (d)')).toEqual(["ab", "c", "d"]);
});

test("a query that names a tag finds the tasks that have it", () => {
  expect(withoutTags("tag:a status:failed", MARKS)).toBe('(id:"1") status:failed');
  expect(withoutTags("-tag:release", MARKS)).toBe('-(id:"2")');
  expect(withoutTags("tag:a,RELEASE", MARKS)).toBe('(id:"1" OR id:"2")');
  expect(withoutTags("(tag:nosuch OR x)", MARKS)).toMatch(/^\(id:".+" OR x\)$/u);
});

test("words that only look like a tag stay", () => {
  for (const query of ['"tag:a"', "title:tag", "hashtag:a", "status:failed"]) {
    expect(withoutTags(query, MARKS)).toBe(query);
  }
});
