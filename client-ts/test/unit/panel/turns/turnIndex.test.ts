import { expect, test } from "vitest";

import { type Turn, TurnIndex } from "../../../../src/panel/turns/turnIndex.js";
import type { TaskEvent } from "../../../../src/protocol.js";

type Bare<E> = E extends unknown ? Omit<E, "seq" | "ts"> : never;
type Content = Bare<TaskEvent>;

const SAYS = (messageId: string, text: string): Content => ({ type: "message", messageId, text });
const CALLS: Content = { type: "tool", toolCallId: "1", name: "read", status: "started" };
const FAILS: Content = { type: "tool", toolCallId: "1", name: "read", status: "failed" };
const ASKS: Content = {
  ...{ type: "permission", requestId: "r", state: "asked", title: "Run npm test" },
  options: [],
};

function numbered(events: readonly Content[], first = 1): TaskEvent[] {
  return events.map((event, at) => ({ ...event, seq: first + at, ts: 1 }));
}

/** The turns of these events, as a line each. */
function turnsOf(...events: Content[]): string[] {
  const index = new TurnIndex();
  index.take(numbered(events));
  return index.turns.map(lineOf);
}

function lineOf({ seq, kind, text }: Turn): string {
  return `${seq} ${kind} ${text}`;
}

test("a turn is what the agent says and the calls that follow from it", () => {
  expect(turnsOf(SAYS("a", "I read."), CALLS, CALLS, SAYS("b", "I write."), CALLS)).toEqual([
    "1 plain I read.",
    "4 plain I write.",
  ]);
});

test("words that arrive in pieces are one turn, without marks of Markdown", () => {
  const pieces = [SAYS("a", "## I "), SAYS("a", "look\n"), SAYS("a", "for `days`.")];
  expect(turnsOf(...pieces)).toEqual(["1 plain I look for days."]);
});

test("a message that a call interrupts is still one turn", () => {
  expect(turnsOf(SAYS("a", "I read"), CALLS, SAYS("a", " and write."))).toEqual(["1 plain I read"]);
});

test("a thought begins a turn, and the words after it belong to it", () => {
  const thought: Content = { type: "thought", messageId: "h", text: "Where?" };
  expect(turnsOf(CALLS, thought, SAYS("a", "Here."))).toEqual([
    "1 plain read",
    "2 plain Where? Here.",
  ]);
});

test("a message to the agent is a turn, and so is the answer to it", () => {
  const hint = (text: string): Content => ({ type: "message", messageId: "u", role: "user", text });
  expect(turnsOf(SAYS("a", "I go."), hint("Stop "), hint("that."), SAYS("b", "I stop."))).toEqual([
    "1 plain I go.",
    "2 user Stop that.",
    "4 plain I stop.",
  ]);
});

test("a turn with a failed call is a failure, one with a question a question", () => {
  const first = [SAYS("a", "One."), FAILS];
  const second = [SAYS("b", "Two."), CALLS, ASKS, FAILS];
  expect(turnsOf(...first, ...second)).toEqual(["1 failure One.", "3 question Two."]);
});

test("a run that fails marks its last turn", () => {
  expect(turnsOf(SAYS("a", "One."), { type: "state", status: "failed" })).toEqual([
    "1 failure One.",
  ]);
});

test("an answered question adds none", () => {
  const answered: Content = {
    ...{ type: "permission", requestId: "r", state: "answered", title: "Run npm test" },
    ...{ optionId: "yes", kind: "allow_once", by: "user" },
  };
  expect(turnsOf(SAYS("a", "One."), answered)).toEqual(["1 plain One."]);
});

test("an index knows which event asked an open question", () => {
  const index = new TurnIndex();
  const asked: Content = { type: "permission", requestId: "r", state: "asked", title: "Run it" };
  index.take(numbered([SAYS("a", "One."), asked]));
  expect(index.askedAt("r")).toBe(2);
  index.take(numbered([{ ...asked, state: "answered", optionId: "y", kind: "allow_once" }], 3));
  expect(index.askedAt("r")).toBeUndefined();
});

test("only the beginning of a turn is kept", () => {
  const [line = ""] = turnsOf(...Array.from({ length: 99 }, () => SAYS("a", "long ".repeat(99))));
  expect(line.length).toBeLessThan(100);
});

test("an index says which turns changed, and ignores what it knows", () => {
  const index = new TurnIndex();
  const events = numbered([SAYS("a", "One"), SAYS("a", " turn."), CALLS, SAYS("b", "Two.")]);
  expect(index.take(events.slice(0, 1))).toBe(0);
  expect(index.take(events.slice(1, 3))).toBe(0);
  expect(index.take(events.slice(2))).toBe(0);
  expect(index.take(events)).toBe(2);
  expect(index.take(numbered([CALLS], 5))).toBe(2);
  expect(index.turns.map(({ text }) => text)).toEqual(["One turn.", "Two."]);
});
