import { expect, test } from "vitest";

import { answeredWords, answersTo } from "../../../src/questions/answers.js";
import type { AttentionOption } from "../../../src/protocol.js";

function option(kind: string, more: Partial<AttentionOption> = {}): AttentionOption {
  return { optionId: kind, name: "Reject", kind, ...more };
}

function labels(...options: AttentionOption[]): string[] {
  return answersTo(options).map(({ label }) => label);
}

test("answers are named by their kinds, in one order, whatever the agent calls them", () => {
  const kinds = ["new_kind", "reject_once", "allow_always", "allow_once"];
  const scope = "`npm test` in this workspace";
  expect(labels(...kinds.map((kind) => option(kind, { scope })))).toEqual([
    "Allow Once",
    "Always Allow `npm test` in this workspace",
    "Reject",
    "Answer “Reject”",
  ]);
});

test("an option named Reject that allows always does not look like a reject", () => {
  const [answer] = answersTo([option("allow_always", { scope: "edits to a.py" })]);
  expect(answer).toMatchObject({ label: "Always Allow edits to a.py", icon: "check-all" });
  expect(answer?.allows).toBe(true);
});

test("an always without a scope holds once and says so", () => {
  expect(labels(option("allow_always"), option("reject_always"))).toEqual(["Allow Once", "Reject"]);
});

test("answers that would read the same have the agent's names added", () => {
  const twice = [
    option("allow_once", { name: "Yes" }),
    option("allow_always", { name: "Yes,\u202e all" }),
  ];
  expect(labels(...twice)).toEqual(["Allow Once: “Yes”", "Allow Once: “Yes, all”"]);
});

test("an answer is worded by its kind and scope", () => {
  const scope = "edits to a.py";
  expect(["allow_once", "reject_once"].map((kind) => answeredWords(option(kind)))).toEqual([
    "Allowed",
    "Rejected",
  ]);
  expect(answeredWords(option("allow_always", { scope }))).toBe("Always allowed: edits to a.py");
});
