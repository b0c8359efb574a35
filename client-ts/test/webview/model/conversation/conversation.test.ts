import { expect, test } from "vitest";

import {
  applyEvents,
  EMPTY_CONVERSATION,
} from "../../../../webview/model/conversation/conversation.js";
import {
  appendToTail,
  EMPTY_TAIL,
  TAIL_CHARS,
} from "../../../../webview/model/conversation/textTail.js";
import { message, numbered, tool } from "../../samples.js";

type Given = Parameters<typeof numbered>[0];

function conversation(events: Given) {
  return applyEvents(EMPTY_CONVERSATION, numbered(events));
}

test("the pieces of a message make one item, where the first piece came", () => {
  const { items } = conversation([
    message("a", "Hel"),
    tool("read", "started", "1"),
    message("a", "lo"),
  ]);
  expect(items).toHaveLength(2);
  expect(items[0]).toMatchObject({ kind: "message", block: { text: "Hello" } });
});

test("what was sent to the agent is an item of its own, also between two of its messages", () => {
  const { items } = conversation([
    message("a", "one"),
    { type: "message", messageId: "b", role: "user", text: "continue" },
    message("c", "two"),
  ]);
  expect(items.map(({ kind }) => kind)).toEqual(["message", "sent", "message"]);
  expect(items[1]).toMatchObject({ text: "continue" });
});

test("a tool call is one item, from its start to its end", () => {
  const { items } = conversation([tool("read", "started", "1"), tool("read", "failed", "1")]);
  expect(items).toEqual([
    { kind: "tool", seq: 1, name: "read", status: "failed", ts: 1_000, endedAt: 2_000 },
  ]);
});

test("a call that is reported again while it runs stays one item, with its newest name", () => {
  const { items } = conversation([
    tool("bash", "started", "1"),
    tool("ls", "started", "1"),
    tool("ls", "completed", "1"),
  ]);
  expect(items).toEqual([
    { kind: "tool", seq: 1, name: "ls", status: "completed", ts: 1_000, endedAt: 3_000 },
  ]);
});

test("calls without an id end in the order they started", () => {
  const { items } = conversation([
    tool("read", "started"),
    tool("read", "started"),
    tool("read", "completed"),
  ]);
  expect(items.map((item) => item.kind === "tool" && item.status)).toEqual([
    "completed",
    "started",
  ]);
});

test("the end of a call that was not seen to start is an item of its own", () => {
  expect(conversation([tool("read", "completed", "1")]).items).toHaveLength(1);
});

test("the newest usage counts, and what it leaves out stays", () => {
  const { usage } = conversation([
    { type: "usage", inputTokens: 5, outputTokens: 1 },
    { type: "usage", inputTokens: 9, cost: 0.5 },
  ]);
  expect(usage).toEqual({ inputTokens: 9, outputTokens: 1, cost: 0.5 });
});

test("a variable has its newest value; log and result are kept apart", () => {
  const { variables, log, result, items } = conversation([
    { type: "emit", name: "n", value: 1 },
    { type: "emit", name: "n", value: [2] },
    { type: "log", stream: "stderr", text: "one\n" },
    { type: "log", stream: "stderr", text: "two\n" },
    { type: "result", text: "done" },
  ]);
  expect([...variables]).toEqual([["n", [2]]]);
  expect(log).toMatchObject({ text: "one\ntwo\n", lines: 2 });
  expect(result).toBe("done");
  expect(items).toEqual([]);
});

test("a state changes nothing: it comes with the task", () => {
  expect(conversation([{ type: "state", status: "running" }])).toEqual(EMPTY_CONVERSATION);
});

test("messages that read on are one text, others stay apart", () => {
  const texts = ["I see ", "seven", " of them", ".", "Reading a.py", "Reading b.py"];
  const { items, tails } = conversation(texts.map((text, at) => message(`m${at}`, text)));
  expect(items.map((item) => item.kind === "message" && item.block.text)).toEqual([
    "I see seven of them.",
    "Reading a.py",
    "Reading b.py",
  ]);
  expect(tails.size).toBe(items.length);
});

test("thoughts that follow each other are one item", () => {
  const thought = (messageId: string, text: string) =>
    ({ type: "thought", messageId, text }) as const;
  const { items } = conversation([thought("a", "Hm"), thought("a", "m."), thought("b", "Aha!")]);
  expect(items).toMatchObject([{ kind: "thought", text: { text: "Hmm.\n\nAha!" } }]);
});

test("the newest plan counts", () => {
  const plan = (status: string): Given[number] => ({
    type: "plan",
    entries: [{ content: "Look", status }],
  });
  const { plan: entries, items } = conversation([plan("pending"), plan("completed")]);
  expect(entries).toEqual([{ content: "Look", status: "completed" }]);
  expect(items).toEqual([]);
});

test("a long log loses whole lines at its beginning, and says how much", () => {
  const tail = appendToTail(EMPTY_TAIL, "0123456789\n".repeat(10_000));
  expect(tail.text.length).toBeLessThanOrEqual(TAIL_CHARS);
  expect(tail.text.startsWith("0123456789\n")).toBe(true);
  expect(tail).toMatchObject({ lines: 10_000, cutChars: 110_000 - tail.text.length });
});
