// The row of a call says how it ended, and names its files as the user knows them.
import { render } from "lit-html";
import { expect, test } from "vitest";

import type { ToolItem } from "../../../webview/model/conversation/items.js";
import type { Answer } from "../../../webview/model/conversation/question.js";
import { tool } from "../../../webview/view/conversation/tool.js";

const CALL: ToolItem = { kind: "tool", seq: 1, name: "run", status: "failed", ts: 1, endedAt: 2 };
const REJECT = [{ optionId: "n", name: "No", kind: "reject_once" }];

function shown(item: ToolItem): HTMLElement {
  const element = document.createElement("div");
  const context = {
    ...{ taskId: "t1", live: true, folder: "/house", answering: new Set<string>() },
    ...{ forms: new Map(), send: () => undefined },
  };
  render(tool(item, context), element);
  return element;
}

/** Return the words in the row of a call that failed after this answer. */
function words(answer: Answer | undefined, options = REJECT): readonly string[] {
  const asked = { requestId: "r", ts: 1, title: "Run it", options, ...(answer && { answer }) };
  const element = shown({ ...CALL, question: asked });
  return [...element.querySelectorAll(".tool-row .tool-word")].map((each) => each.textContent);
}

test("a call that was rejected did not fail", () => {
  expect(words({ optionId: "n", kind: "reject_once", by: "user" })).toEqual(["rejected"]);
  expect(words({ kind: "reject_once", by: "policy" }, [])).toEqual(["rejected"]);
});

test("a call that was allowed or left without an answer did", () => {
  expect(words({ optionId: "y", kind: "allow_once", by: "user" })).toEqual(["failed"]);
  expect(words({})).toEqual(["failed"]);
  expect(words(undefined)).toEqual(["failed"]);
});

test("a change is named by its path in the workspace", () => {
  const rows = [{ kind: "new" as const, text: "x" }];
  const diff = {
    path: "/house/src/days.py",
    seq: 1,
    index: 0,
    added: 1,
    removed: 0,
    rows,
    left: 0,
  };
  const element = shown({ ...CALL, status: "completed", diffs: [diff] });
  const names = [...element.querySelectorAll("[aria-label]")].map((each) =>
    each.getAttribute("aria-label"),
  );
  expect(names).toEqual(["Open Diff of src/days.py", "Changed lines of src/days.py"]);
  expect(element.querySelector<HTMLElement>(".path")?.title).toBe("Open src/days.py");
});
