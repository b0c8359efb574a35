import { expect, test } from "vitest";

import {
  applyEvents,
  EMPTY_CONVERSATION,
} from "../../../webview/model/conversation/conversation.js";
import { cutText, plain, valueText } from "../../../webview/text/format.js";
import { elementsOf } from "../../../webview/model/conversation/elements.js";
import { finalText } from "../../../webview/model/conversation/result.js";
import { LIST } from "../../../webview/text/strings.js";
import { message, numbered, task } from "../samples.js";

test("what only a terminal understands is taken out of a text", () => {
  expect(plain("\u001b[1;31mred\u001b[0m\u0007 a\r\nb\tc\u001b]0;title\u0007")).toBe("red a\nb\tc");
});

test("a value shows as text, cut where it is long", () => {
  expect(valueText("text")).toBe("text");
  expect(valueText({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(valueText(null)).toBe("null");
  expect(cutText("abcdef", 4)).toBe("abcd… (2 more characters)");
});

test("a final message is not shown twice", () => {
  const conversation = applyEvents(EMPTY_CONVERSATION, numbered([message("a", "All done.\n")]));
  const ended = (final_message: string) =>
    task({
      status: "completed",
      output: { terminate_reason: "GOAL", emitted_vars: {}, final_message },
    });
  expect(finalText(ended("All done."), conversation)).toBeUndefined();
  expect(finalText(ended("Two files."), conversation)).toBe("Two files.");
  expect(finalText(ended(" "), conversation)).toBeUndefined();
});

test("a final message of many small elements is cut to what a frame draws", () => {
  const final_message = "`a` ".repeat(1_000);
  const ended = task({
    status: "completed",
    output: { terminate_reason: "GOAL", emitted_vars: {}, final_message },
  });
  const shown = finalText(ended, EMPTY_CONVERSATION) ?? "";
  expect(shown).toContain("omitted");
  expect(elementsOf(shown)).toBeLessThan(270);
  expect(elementsOf(shown)).toBeGreaterThan(200);
});

test("the name of a group's heading contains what it shows, as speech control needs", () => {
  for (const isPartial of [false, true]) {
    expect(LIST.groupLabel("Older", 1_200, isPartial)).toContain(LIST.count(1_200, isPartial));
  }
});
