import { expect, test } from "vitest";

import type { Attention, QuestionField } from "../../../src/protocol.js";
import { promptFor } from "../../../src/questions/prompting.js";
import { shown } from "../../vscode.js";

/** A question with one field. */
function asking(field: QuestionField): Attention {
  const schema = { type: "object" as const, properties: { field }, required: [] };
  return { kind: "question", requestId: "r", title: "Which?", options: [], schema };
}

const items = { anyOf: ["x", "y", "z"].map((each) => ({ const: each, title: each })) };

test("several choices start with the agent's defaults", async () => {
  const asked = asking({ type: "array", items, default: ["x", "z"] });
  expect(await promptFor(asked)).toEqual({ field: ["x", "z"] });
  expect(shown.rows).toEqual(["x", "y", "z"]);
});
