import { expect, test } from "vitest";

import type { ToolEvent } from "../../../../src/protocol.js";
import {
  applyEvents,
  EMPTY_CONVERSATION,
} from "../../../../webview/model/conversation/conversation.js";
import type { ToolItem } from "../../../../webview/model/conversation/items.js";
import { pathInside } from "../../../../src/text/places.js";
import { numbered } from "../../samples.js";

type Change = Partial<ToolEvent>;

/** The one call that these events are about. */
function call(...changes: Change[]): ToolItem {
  const events = changes.map(
    (each) =>
      ({ type: "tool", toolCallId: "1", name: "edit", status: "started", ...each }) as const,
  );
  const [item] = applyEvents(EMPTY_CONVERSATION, numbered(events)).items;
  if (item?.kind !== "tool") {
    throw new Error("no call");
  }
  return item;
}

test("what a later event leaves out of a call stays", () => {
  const item = call(
    { title: "Edit a", input: { path: "a" } },
    { status: "completed", output: "ok" },
  );
  expect(item).toMatchObject({ title: "Edit a", subject: "a", output: "ok", status: "completed" });
});

test.each([
  [{ command: "ls -l", description: "List" }, "ls -l"],
  [{ command: ["ls", "-l"] }, "ls -l"],
  [{ pattern: "x", path: "src" }, "x"],
  ["ls", "ls"],
  [{ command: 7, depth: 2 }, undefined],
  [[1], undefined],
])("of the input %j the telling part is %j", (input, subject) => {
  expect(call({ input }).subject).toBe(subject);
});

test("a diff is kept with where its whole texts are, even when words replace it", () => {
  const diff = { type: "diff", path: "/w/a", oldText: "1\n", newText: "2\n" } as const;
  const text = { type: "text", text: "Done." } as const;
  const item = call({}, { content: [text, diff] }, { status: "completed", content: [text] });
  expect(item.diffs).toMatchObject([{ path: "/w/a", seq: 2, index: 1, added: 1, removed: 1 }]);
  expect(item.output).toBe("Done.");
});

test("a long output is cut in its middle, and says so", () => {
  const { output = "" } = call({ output: `begin${"x".repeat(100_000)}end` });
  expect(output.length).toBeLessThan(21_000);
  expect(output).toMatch(/^begin[^]*characters omitted\)[^]*end$/u);
});

test.each([
  ["/w/src/a.ts", "/w", "src/a.ts"],
  ["src/a.ts", "/w", "src/a.ts"],
  ["C:\\w\\a.ts", "C:\\w\\", "a.ts"],
  ["/wide/a", "/w", undefined],
  ["/w/../etc/passwd", "/w", undefined],
  ["/w/a", undefined, undefined],
])("%j seen from %j is %j", (path, folder, inside) => {
  expect(pathInside(path, folder)).toBe(inside);
});
