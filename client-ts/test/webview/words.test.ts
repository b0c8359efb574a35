import { expect, test } from "vitest";

import type { EndReason } from "../../src/protocol.js";
import { applyEvents, EMPTY_CONVERSATION } from "../../webview/model/conversation.js";
import {
  compact,
  cutText,
  dollars,
  duration,
  plain,
  valueText,
} from "../../webview/model/format.js";
import { finalText, variablesOf } from "../../webview/model/result.js";
import { elapsed, statusSentence, statusWord } from "../../webview/model/words.js";
import { message, numbered, row, task } from "./samples.js";

test.each([
  [-5, "0s"],
  [59_999, "59s"],
  [65_000, "1m 05s"],
  [7_380_000, "2h 03m"],
  [97_200_000, "1d 3h"],
])("%i ms are %s", (ms, words) => {
  expect(duration(ms)).toBe(words);
});

test.each<EndReason>([
  "goal",
  "error",
  "timeout",
  "inactivity",
  "startupTimeout",
  "maxTurns",
  "budget",
  "cancelledByUser",
  "cancelledByModel",
  "hostExit",
  "lost",
])("the end by %s is told in a sentence", (endReason) => {
  expect(statusSentence({ status: "failed", endReason })).toMatch(/^[A-Z].*\.$/u);
});

test("a cancel under way shows only while the run lives", () => {
  expect(statusWord(row(), true)).toBe("Cancelling");
  expect(statusWord(row({ status: "cancelled" }), true)).toBe("Cancelled");
});

test("a run is timed from its launch to its end, a queued one from its queueing", () => {
  expect(elapsed(row({ launchedAt: 1_000 }), 6_000)).toBe("5s");
  expect(elapsed(row({ status: "failed", launchedAt: 1_000, completedAt: 3_000 }), 9_000)).toBe(
    "2s",
  );
  expect(elapsed(row({ status: "queued", queuedAt: 4_000 }), 9_000)).toBe("5s");
  expect(
    elapsed({ id: "q", subagentName: "s", goal: "", status: "queued" }, 9_000),
  ).toBeUndefined();
});

test("what only a terminal understands is taken out of a text", () => {
  expect(plain("\u001b[1;31mred\u001b[0m\u0007 a\r\nb\tc\u001b]0;title\u0007")).toBe("red a\nb\tc");
});

test("a value shows as text, cut where it is long", () => {
  expect(valueText("text")).toBe("text");
  expect(valueText({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(valueText(null)).toBe("null");
  expect(cutText("abcdef", 4)).toBe("abcd… (2 more characters)");
});

test("counts and costs are brief", () => {
  expect([compact(950), compact(12_345)]).toEqual(["950", "12.3K"]);
  expect([dollars(0), dollars(0.00312), dollars(1.5)]).toEqual(["$0.00", "$0.0031", "$1.50"]);
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

test("variables of events that are lost come from the task", () => {
  const conversation = applyEvents(
    EMPTY_CONVERSATION,
    numbered([{ type: "emit", name: "b", value: 2 }]),
  );
  const partial = { emitted_vars: { a: 1, b: 0 }, touchedFiles: [] };
  expect([...variablesOf(task({ partial }), conversation)]).toEqual([
    ["a", 1],
    ["b", 2],
  ]);
});
