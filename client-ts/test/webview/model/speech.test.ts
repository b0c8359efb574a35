import { expect, test } from "vitest";

import { announcements } from "../../../webview/model/announcing.js";
import type { Event } from "../../../webview/model/events.js";
import { requestsOf } from "../../../webview/model/requests.js";
import { restore, save } from "../../../webview/model/saved.js";
import { speechTo } from "../../../webview/model/speech.js";
import { reduce } from "../../../webview/model/reduce.js";
import { INITIAL, type State } from "../../../webview/model/state.js";
import { numbered, row, task } from "../samples.js";

const taskId = "t1";

function after(...events: readonly Event[]): State {
  const opened: Event[] = [
    { type: "open", taskId },
    { type: "task", task: task(), takesMessages: true },
  ];
  return [...opened, ...events].reduce(reduce, INITIAL);
}

function speech(...events: readonly Event[]) {
  return speechTo(after(...events).speeches, taskId);
}

const write = (text: string): Event => ({ type: "writeMessage", taskId, text });
const SEND: Event = { type: "sendMessage", taskId };
const sent = (text: string): Event => ({ type: "sent", taskId, text, delivery: "nextTurn" });
const delivered = (text: string): Event => ({
  type: "events",
  taskId,
  events: numbered([{ type: "message", messageId: "u", role: "user", text }]),
});

test("a message that was taken waits until the agent receives it", () => {
  expect(speech(write("Go left"), SEND)).toEqual({ text: "", unsaid: [{ text: "Go left" }] });
  const waiting = [write("Go left"), SEND, sent("Go left")];
  expect(speech(...waiting).unsaid).toEqual([{ text: "Go left", delivery: "nextTurn" }]);
  expect(after(...waiting, delivered("Go left")).speeches.size).toBe(0);
});

test("an agent may receive a message before the answer that it will", () => {
  expect(after(write("Go"), SEND, delivered("Go"), sent("Go")).speeches.size).toBe(0);
});

test("of two equal messages one is delivered at a time", () => {
  const twice = [write("Go"), SEND, write("Go"), SEND, sent("Go"), sent("Go"), delivered("Go")];
  expect(speech(...twice).unsaid).toEqual([{ text: "Go", delivery: "nextTurn" }]);
});

test("a refused message comes back before what was written meanwhile", () => {
  const refusal: Event = { type: "sendFailed", taskId, text: "Go", message: "It is ending." };
  expect(speech(write("Go"), SEND, write("Or stay"), refusal)).toEqual({
    text: "Go\n\nOr stay",
    unsaid: [],
    problem: "It is ending.",
  });
  expect(speech(write("Go"), SEND, refusal, write("Go!")).problem).toBeUndefined();
});

test("a refusal after a reload finds its message written already", () => {
  const refusal: Event = { type: "sendFailed", taskId, text: "Go", message: "no" };
  const reloaded = restore(save(after(write("Go"), SEND), undefined));
  expect(speechTo(reduce(reloaded, refusal).speeches, taskId).text).toBe("Go");
});

test("what was written outlives the page, and what was taken as such", () => {
  const left = after(write("one"), SEND, sent("one"), write("two"), SEND, write("three"));
  const again = restore(JSON.parse(JSON.stringify(save(left, undefined))));
  expect([...again.speeches]).toEqual([
    [taskId, { text: "two\n\nthree", unsaid: [{ text: "one", delivery: "nextTurn" }] }],
  ]);
});

test.each([null, { t1: 1 }, "text", 7])(
  "saved messages that cannot be read, %j, are none",
  (messages) => {
    expect(restore({ goal: "g", messages })).toMatchObject({ draft: { goal: "g" } });
    expect(restore({ goal: "g", messages }).speeches.size).toBe(0);
  },
);

test("words are asked to be sent once, and blank ones never", () => {
  const ask = (before: State): unknown[] => requestsOf(before, reduce(before, SEND), SEND);
  expect(ask(after(write("Go")))).toEqual([{ type: "send", taskId, text: "Go" }]);
  expect(ask(after(write("Go"), SEND))).toEqual([]);
  expect(ask(after(write(" \n")))).toEqual([]);
});

test("a run is asked to be resumed once, with words or without", () => {
  const resume: Event = { type: "resume", taskId };
  const ask = (before: State): unknown[] => requestsOf(before, reduce(before, resume), resume);
  const asked = { ...resume, queue: false };
  expect(ask(after({ type: "beginResume", taskId }))).toEqual([asked]);
  expect(ask(after(write("On")))).toEqual([{ ...asked, text: "On" }]);
  expect(ask(after(resume))).toEqual([]);
});

test("a resumed run continues in its new conversation, which is followed", () => {
  const before = after(write("On"), { type: "resume", taskId });
  const resumed: Event = { type: "resumed", taskId, inTaskId: "t2" };
  const state = reduce(before, resumed);
  expect([state.open?.taskId, state.speeches.size]).toEqual(["t2", 0]);
  expect(requestsOf(before, state, resumed)).toEqual([
    { type: "follow", taskId: "t2", afterSeq: 0 },
  ]);
});

test("a refused resume keeps the words, and can be dropped", () => {
  const refusal: Event = {
    type: "resumeFailed",
    taskId,
    message: "Too many run.",
    canQueue: false,
  };
  const refused = [write("On"), { type: "resume", taskId } as const, refusal];
  expect(speech(...refused)).toMatchObject({ text: "On", problem: "Too many run." });
  expect(after(...refused, { type: "dropResume", taskId }).speeches.size).toBe(0);
});

test("why a message was refused is no longer shown once the run has ended", () => {
  const refusal: Event = { type: "sendFailed", taskId, text: "Go", message: "It is starting." };
  const ended: Event = { type: "task", task: task({ status: "completed", endReason: "goal" }) };
  expect(speech(write("Go"), SEND, refusal, ended)).toEqual({ text: "Go", unsaid: [] });
  const tooLate = [write("Go"), SEND, ended, refusal];
  expect(speech(...tooLate).problem).toBe("It is starting.");
  expect(speech(...tooLate, { type: "beginResume", taskId }).problem).toBeUndefined();
});

test.each<[string, Event]>([
  ["another run ends", { type: "run", run: row({ id: "t2", status: "failed" }) }],
  ["the limit changes", { type: "limit", max: 9 }],
])("a refusal for the limit is dropped when %s, and nothing else is", (_, event) => {
  const runs: Event = { type: "runs", runs: [row(), row({ id: "t2" })] };
  const refusal = { message: "5 of 5 run.", canQueue: true, setting: "maxAsyncTasks" } as const;
  const [resume, launch]: Event[] = [
    { type: "resumeFailed", taskId, ...refusal },
    { type: "launchFailed", ...refusal, sent: { goalPrompt: "" } },
  ] as const;
  const refused = after(runs, write("On"), { type: "resume", taskId }, resume, launch);
  const free = reduce(refused, event);
  expect([free.launch.kind, speechTo(free.speeches, taskId)]).toEqual([
    "idle",
    { text: "On", unsaid: [], resume: "writing" },
  ]);
  const others = [resume, launch].map((each) => ({ ...each, canQueue: false }));
  const stays = reduce(others.reduce(reduce, refused), event);
  expect([stays.launch.kind, speechTo(stays.speeches, taskId).problem]).toEqual([
    "refused",
    "5 of 5 run.",
  ]);
});

test("a refusal for a missing program is dropped when the runners may have changed", () => {
  const failed: Event = {
    type: "launchFailed",
    sent: { goalPrompt: "" },
    ...{ message: "No opencode.", canQueue: false, setting: "runners" },
  };
  expect(after(failed, { type: "limit", max: 9 }).launch.kind).toBe("refused");
  const read: Event = { type: "definitions", items: [], problems: [] };
  expect(after(failed, read).launch.kind).toBe("idle");
});

test("a resume over the limit can wait in line, with its words", () => {
  const queue: Event = { type: "queueResume", taskId };
  const message = "5 of 5 run.";
  const refused = after(
    write("On"),
    { type: "resume", taskId },
    { type: "resumeFailed", taskId, message, canQueue: true },
  );
  const queued = reduce(refused, queue);
  expect(requestsOf(refused, queued, queue)).toEqual([
    { type: "resume", taskId, text: "On", queue: true },
  ]);
  expect(speechTo(queued.speeches, taskId)).toEqual({ text: "On", unsaid: [], resume: "sending" });
  const rewritten = reduce(refused, write("On and on"));
  expect(speechTo(rewritten.speeches, taskId).canQueue).toBeUndefined();
});

test("what a person wrote is not part of what the agent says", () => {
  const events = numbered([
    { type: "message", messageId: "a", text: "I go" },
    { type: "message", messageId: "u", role: "user", text: " left" },
    { type: "message", messageId: "a2", text: "Left it is." },
  ]);
  const items = after({ type: "events", taskId, events }).open?.stream.conversation.items;
  expect(items?.map(({ kind }) => kind)).toEqual(["message", "sent", "message"]);
});

test("a screen reader hears when the agent will", () => {
  const before = after(write("Go"), SEND);
  expect(announcements(before, reduce(before, sent("Go")), 0)).toEqual([
    "Sent. The agent gets it after the current turn.",
  ]);
});

const LOST: Event = { type: "undelivered", taskId, texts: ["Docs"] };

test("a message that was not delivered is shown, once", () => {
  const unsaid = [{ text: "Docs", delivery: "nextTurn" }];
  expect(speech(LOST)).toMatchObject({ unsaid });
  expect(speech(write("Docs"), SEND, sent("Docs"), LOST)).toMatchObject({ unsaid });
});

test("sent again, it is written before what was being written, and forgotten", () => {
  const again: Event = { type: "sendAgain", taskId, text: "Docs" };
  expect(speech(write("Then stop"), LOST, again)).toMatchObject({
    text: "Docs\n\nThen stop",
    unsaid: [],
    resume: "writing",
  });
  const before = after(LOST);
  expect(requestsOf(before, reduce(before, again), again)).toEqual([
    { type: "forget", taskId, text: "Docs" },
  ]);
});

test("discarded, it is gone; a resume takes it up", () => {
  expect(speech(LOST, { type: "discard", taskId, text: "Docs" }).unsaid).toEqual([]);
  expect(speech(LOST, { type: "beginResume", taskId })).toMatchObject({ text: "Docs", unsaid: [] });
});

test("a message that a reload overtook is not delivered, and not written a second time", () => {
  const undelivered: Event = { type: "undelivered", taskId, texts: ["Go"] };
  const again: Event = { type: "sendAgain", taskId, text: "Go" };
  const reloaded = restore(save(after(write("Go"), SEND, write("And stop")), undefined));
  const found = [undelivered, again].reduce(reduce, reloaded);
  expect(speechTo(reduce(reloaded, undelivered).speeches, taskId).text).toBe("And stop");
  expect(speechTo(found.speeches, taskId).text).toBe("Go\n\nAnd stop");
});
