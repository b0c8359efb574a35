import { expect, test } from "vitest";

import type { PermissionEvent, TaskEvent } from "../../../src/protocol.js";
import { announcements } from "../../../webview/model/announcing.js";
import {
  applyEvents,
  EMPTY_CONVERSATION,
} from "../../../webview/model/conversation/conversation.js";
import type { Event } from "../../../webview/model/events.js";
import { answerWords, type Question } from "../../../webview/model/conversation/question.js";
import { requestsOf } from "../../../webview/model/requests.js";
import { reduce } from "../../../webview/model/reduce.js";
import { INITIAL, type State } from "../../../webview/model/state.js";
import { numbered, task, tool } from "../samples.js";

const OPTIONS = [
  { optionId: "1", name: "Always", kind: "allow_always" },
  { optionId: "2", name: "No", kind: "reject_once" },
  { optionId: "3", name: "Yes", kind: "allow_once" },
];

type Details = Partial<PermissionEvent>;

function permission(details: Details): Omit<PermissionEvent, "seq" | "ts"> {
  return { type: "permission", requestId: "r", state: "asked", title: "Write a", ...details };
}

const ASKED = permission({ toolCallId: "c", options: OPTIONS });
const ANSWERED = permission({ state: "answered", optionId: "3", kind: "allow_once", by: "user" });

function conversation(...events: Parameters<typeof numbered>[0][number][]) {
  return applyEvents(EMPTY_CONVERSATION, numbered(events));
}

/** A run that asks, opened. */
function asking(): State {
  const events: TaskEvent[] = numbered([tool("edit", "started", "c"), ASKED]);
  const given: Event[] = [
    { type: "open", taskId: "t1" },
    { type: "task", task: task() },
    { type: "events", taskId: "t1", events },
  ];
  return given.reduce(reduce, INITIAL);
}

test("a question belongs to the call it is about, with its answer", () => {
  const call = tool("edit", "started", "c");
  const before = conversation(call, ASKED);
  expect(before.items).toMatchObject([{ kind: "tool", question: { options: OPTIONS } }]);
  expect([...before.questions.keys()]).toEqual(["r"]);
  const after = conversation(call, ASKED, ANSWERED);
  expect(after.items).toMatchObject([{ question: { answer: { kind: "allow_once" } } }]);
  expect(after.questions.size).toBe(0);
});

test("a question about no known call is an item of its own", () => {
  const { items } = conversation(ASKED, ANSWERED);
  expect(items).toMatchObject([{ kind: "question", question: { answer: { by: "user" } } }]);
});

test("a question keeps the directory that its command runs in", () => {
  const { items } = conversation(permission({ command: "make", cwd: "/etc" }));
  expect(items).toMatchObject([{ question: { command: "make", cwd: "/etc" } }]);
});

test("two questions at a time are two", () => {
  const second = { ...ASKED, requestId: "s", toolCallId: "d" };
  const { items } = conversation(
    ...[tool("edit", "started", "c"), tool("edit", "started", "d"), ASKED, second, ANSWERED],
  );
  expect(items.map((item) => item.kind === "tool" && item.question?.answer?.kind)).toEqual([
    "allow_once",
    undefined,
  ]);
});

test.each([
  [{ optionId: "3", kind: "allow_once", by: "user" }, "Allowed"],
  [{ optionId: "2", kind: "reject_once", by: "user" }, "Rejected"],
  [{ optionId: "3", kind: "allow_once", by: "policy" }, "Allowed by the permissions"],
  [{ by: "policy" }, "Rejected by the permissions"],
  [{ optionId: "2", kind: "reject_once", by: "remembered" }, "Rejected by a permission you saved"],
  [{}, "Dismissed"],
] as const)("the answer %j is worded as %j", (answer, words) => {
  const question: Question = { requestId: "r", ts: 1, title: "t", options: OPTIONS, answer };
  expect(answerWords(question)).toContain(words);
});

test("an answer is sent once, and again after it did not count", () => {
  const event: Event = { type: "answer", requestId: "r", optionId: "3" };
  const sent = reduce(asking(), event);
  expect(requestsOf(asking(), sent, event)).toEqual([{ ...event, taskId: "t1" }]);
  expect(requestsOf(sent, reduce(sent, event), event)).toEqual([]);
  const message = "it was answered";
  const failed = reduce(sent, { type: "answerFailed", taskId: "t1", requestId: "r", message });
  expect(failed.open?.problem).toBe(message);
  expect(requestsOf(failed, reduce(failed, event), event)).toHaveLength(1);
});

test("a new question is read out", () => {
  const before = [
    { type: "open", taskId: "t1" } as const,
    { type: "task", task: task() } as const,
  ].reduce<State>(reduce, INITIAL);
  expect(announcements(before, asking(), 0)).toEqual(["Needs your answer: Allow this? Write a"]);
  expect(announcements(before, asking(), 1e12)).toEqual([]);
});
