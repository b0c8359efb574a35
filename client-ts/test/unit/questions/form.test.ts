import { expect, test } from "vitest";

import type { QuestionField } from "../../../src/protocol.js";
import { hintOf, isSecret, problemOf } from "../../../src/questions/form.js";

const shown = (field: QuestionField, label = "Field") => ({
  ...{ name: "field", label, isRequired: false, field },
});
const items = { anyOf: ["x", "y", "z"].map((each) => ({ const: each, title: each })) };

test.each(["9007199254740992", "-9007199254740993", "1e30"])(
  "the whole number %s, which would be sent as another one, is a problem",
  (entry) => {
    expect(problemOf(shown({ type: "integer" }), entry)).toBe("Enter a number with fewer digits.");
    expect(problemOf(shown({ type: "number" }), entry)).toBeUndefined();
  },
);

test.each<[Partial<QuestionField>, string | undefined]>([
  [{}, undefined],
  [{ minItems: 0 }, undefined],
  [{ minItems: 1 }, "at least 1 choice"],
  [{ maxItems: 2 }, "at most 2 choices"],
  [{ minItems: 2, maxItems: 2 }, "2 choices"],
  [{ minItems: 1, maxItems: 2 }, "1 to 2 choices"],
])("several choices within %j have a hint", (limits, hint) => {
  expect(hintOf({ type: "array", items, ...limits })).toBe(hint);
});

test.each([
  ["PIN", true],
  ["Pinned version", false],
])("whether %s seems to be secret", (label, expected) => {
  expect(isSecret(shown({ type: "string" }, label))).toBe(expected);
});
