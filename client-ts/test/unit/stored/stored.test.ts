import { expect, test, vi } from "vitest";

import { pageTask } from "../../../src/panel/pageTask.js";
import type { StoredMessage, TaskEvent } from "../../../src/protocol.js";
import { readChanges } from "../../../src/review/runChanges.js";
import type { SubagentService } from "../../../src/service/service.js";
import { StoredConversations } from "../../../src/stored/storedConversations.js";
import { eventsOf } from "../../../src/stored/storedEvents.js";
import { runOf } from "../../../src/stored/storedRun.js";
import { pageIdOf, storedRef } from "../../../src/storedRef.js";
import { allTokens } from "../../../src/text/runWords.js";
import { storedTask } from "../tasks.js";
import { PAGE_ID, StoredTaskFake, numbered } from "./storedTaskFake.js";

const MESSAGES: StoredMessage[] = [
  { index: 0, ts: 1, role: "user", kind: "text", text: "Mend the\nroof" },
  { index: 1, ts: 2, role: "system", kind: "request", text: "12 tokens" },
  { index: 2, ts: 3, role: "assistant", kind: "reasoning", text: "Where is it wet?" },
  { index: 3, ts: 4, role: "assistant", kind: "text", text: "I look first." },
  {
    index: 4,
    role: "assistant",
    kind: "tool",
    text: '{"path":"a"}',
    tool: { name: "read", id: "c" },
  },
  {
    index: 5,
    ts: 6,
    role: "user",
    kind: "tool_result",
    text: "No",
    tool: { id: "c", status: "error" },
  },
  { index: 6, ts: 7, role: "user", kind: "text", text: "Look again." },
];

test("messages become what a conversation shows, numbered without gaps", () => {
  const events = eventsOf(MESSAGES, 1, "Mend the roof");
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  expect(events).toMatchObject([
    { type: "thought", text: "Where is it wet?" },
    { type: "message", text: "I look first." },
    { type: "tool", toolCallId: "c", name: "read", status: "started", ts: 4 },
    { type: "tool", toolCallId: "c", status: "failed", output: "No" },
    { type: "message", role: "user", text: "Look again." },
  ]);
});

test("a call without an id is complete, and says in a line what it did", () => {
  const text = "Read src/a.py\nimport os";
  const message = { index: 1, role: "assistant", kind: "tool", text, tool: { name: "readFile" } };
  expect(eventsOf([message], 1, "g")).toMatchObject([
    { type: "tool", status: "completed", title: "Read src/a.py", input: text },
  ]);
});

test("the text of a call does not repeat its name", () => {
  const call = { index: 1, role: "assistant", kind: "tool", tool: { name: "readFile" } };
  expect(eventsOf([{ ...call, text: "readFile src/a.py" }], 1, "g")).toMatchObject([
    { type: "tool", name: "readFile", input: "src/a.py" },
  ]);
});

test("an error that a product noted is not shown as a success", () => {
  const message = { index: 1, role: "system", kind: "error", text: "The model is gone." };
  expect(eventsOf([message], 1, "g")).toMatchObject([
    { type: "tool", name: "(error)", status: "failed", output: "The model is gone." },
  ]);
});

test("the changes of a stored call are shown as those of a run", async () => {
  const edits = [
    { path: "/w/a.py", oldText: "old\n", newText: "new\n" },
    { path: "/w/b.py", newText: "all of it\n" },
  ];
  const call = { index: 1, role: "assistant", kind: "tool", text: '{"file_path":"/w/a.py"}\n-old' };
  const messages = [
    { ...call, tool: { name: "Edit", id: "c", edits } },
    { index: 2, role: "user", kind: "tool_result", text: "ok", tool: { id: "c", status: "ok" } },
  ];
  const events = eventsOf(messages, 1, "g");
  expect(events[0]).toMatchObject({
    status: "started",
    content: edits.map((edit) => ({ type: "diff", ...edit })),
  });
  const { service } = new StoredConversations(new StoredTaskFake(messages).service);
  const changes = await readChanges(service, PAGE_ID);
  expect(changes.edits(true).map(({ path }) => path)).toEqual(["/w/a.py", "/w/b.py"]);
});

test("a stored call that deletes files says which, since it has no text of them", () => {
  const edits = [
    { path: "a.py", oldText: "old\n", newText: "new\n" },
    { path: "b.py", newText: "", deleted: true },
  ];
  const patch = "*** Begin Patch\n*** Delete File: b.py\n*** End Patch";
  const call = (found: typeof edits, name = "apply_patch") => {
    const tool = { name, id: "c", edits: found };
    return eventsOf([{ index: 1, role: "assistant", kind: "tool", text: patch, tool }], 1, "g")[0];
  };
  expect(call(edits)).toMatchObject({
    title: "apply_patch · deleted b.py",
    content: [{ type: "diff", path: "a.py" }],
  });
  expect(call(edits.slice(1))).toMatchObject({ input: patch, title: "apply_patch · deleted b.py" });
  const edited = Object.keys(call(edits.slice(0, 1)) ?? {});
  expect(edited.filter((key) => key === "title" || key === "input")).toEqual([]);
  expect(call(edits, "exec_command")).toMatchObject({ input: patch });
});

test("a page's id names the task and its root, and nothing else is taken for one", () => {
  const ref = { id: "t 1", root: "/a b" };
  expect(storedRef(pageIdOf(ref))).toEqual(ref);
  expect(storedRef(pageIdOf({ id: "t" }))).toEqual({ id: "t" });
  expect(["t", "stored:", "stored:{}", 'stored:[1,"x"]'].map(storedRef)).toEqual(
    Array(4).fill(undefined),
  );
});

test("an interrupted task of another product is shown as ended, with its own state and cost", () => {
  const state = { status: "abandoned", outcome: "interrupted" } as const;
  const task = storedTask("t", { ...state, tokenUsage: { cost: 2 } });
  expect(runOf("stored:x", task)).toMatchObject({
    status: "failed",
    stored: state,
    progress: { cost: 2 },
  });
});

test("the tokens of a stored run that were cached count on its page, those of other products not", () => {
  const tokenUsage = { input: 100, output: 20, cacheReads: 25, cacheWrites: 5 };
  const run = runOf("stored:x", storedTask("t", { product: "sidecar", tokenUsage }));
  expect(allTokens(run.progress)).toBe(150);
  const other = runOf("stored:x", storedTask("t", { product: "roo", tokenUsage }));
  expect(allTokens(other.progress)).toBe(120);
});

test("the page receives the state of a stored task, also with a text that is cut", () => {
  const stored = { status: "active", outcome: "streaming" } as const;
  const run = runOf("stored:x", storedTask("t", stored));
  expect(pageTask(run).stored).toEqual(stored);
  expect(pageTask({ ...run, error: "x".repeat(100_000) }).stored).toEqual(stored);
});

test("a stored task is read once, in pages, and its events answered like those of a run", async () => {
  const store = new StoredTaskFake([...MESSAGES, ...numbered(8, 1_107)]);
  const { service } = new StoredConversations(store.service);
  const first = await service.request("asyncTasks/events", { taskId: PAGE_ID, limit: 2 });
  expect([first.events.map(({ seq }) => seq), first.lastSeq, first.more]).toEqual([
    [1, 2],
    1_105,
    true,
  ]);
  expect(store.read).toEqual([500, 500, 107]);
  const next = await service.request("asyncTasks/events", {
    taskId: PAGE_ID,
    afterSeq: 4,
    limit: 2,
  });
  expect(next.events).toMatchObject([
    { seq: 5, text: "Look again." },
    { seq: 6, text: "Message 8" },
  ]);
  expect(store.read).toHaveLength(3);
});

test("a stored task with very many messages shows the newest", async () => {
  const store = new StoredTaskFake(numbered(1, 20_500));
  const { service } = new StoredConversations(store.service);
  const request = { taskId: PAGE_ID, afterSeq: 19_999 };
  const { events, lastSeq } = await service.request("asyncTasks/events", request);
  expect(lastSeq).toBe(20_000);
  expect(events).toMatchObject([{ text: "Message 20500" }]);
});

test("what concerns runs goes to the sidecar as it is", async () => {
  const request = vi.fn(() => Promise.resolve({}));
  const sidecar = { request, onDidChangeHistory: vi.fn() } as unknown as SubagentService;
  const { service } = new StoredConversations(sidecar);
  await service.request("asyncTasks/get", { taskId: "run" });
  expect(request).toHaveBeenCalledWith("asyncTasks/get", { taskId: "run" }, undefined);
});

/** A stored task whose messages change, and what a page that follows it receives. */
async function followed(messages: StoredMessage[]) {
  const store = new StoredTaskFake(messages);
  const { service } = new StoredConversations(store.service);
  const taken: TaskEvent[] = [];
  const restarted = vi.fn();
  const follower = service.follow(PAGE_ID, 0, (events) => taken.push(...events), restarted);
  await vi.waitFor(() => {
    expect(taken).not.toEqual([]);
  });
  store.read.length = 0;
  const change = async (next: StoredMessage[]) => {
    store.change(next);
    await vi.waitFor(() => {
      expect(store.read).not.toEqual([]);
    });
    await new Promise(setImmediate);
  };
  const all = async () =>
    (await service.request("asyncTasks/events", { taskId: PAGE_ID, limit: 20_000 })).events;
  return { store, follower, taken, restarted, change, all };
}

const LOOK: StoredMessage = {
  index: 3,
  ts: 4,
  role: "assistant",
  kind: "text",
  text: "I look first.",
};
const AGAIN: StoredMessage = { index: 6, ts: 7, role: "user", kind: "text", text: "Look again." };

test("what a stored task gains while it is open is delivered, and numbered on", async () => {
  const begun = [LOOK, { ...AGAIN, text: "Look" }];
  const { taken, restarted, change, all } = await followed(begun);
  const more = { index: 7, role: "assistant", kind: "text", text: "I see." };
  await change([LOOK, AGAIN, more]);
  expect(taken).toMatchObject([
    { seq: 1, text: "I look first." },
    { seq: 2, messageId: "m6", text: "Look" },
    { seq: 3, messageId: "m6", text: " again." },
    { seq: 4, messageId: "m7", text: "I see." },
  ]);
  expect(restarted).not.toHaveBeenCalled();
  expect(await all()).toEqual(taken);
});

test.each<[string, StoredMessage[]]>([
  ["says something else", [{ ...LOOK, text: "I think." }, AGAIN]],
  ["has fewer messages", [LOOK]],
])("a page begins again if a stored task now %s", async (_, next) => {
  const { taken, restarted, change, all } = await followed([LOOK, AGAIN]);
  await change(next);
  expect(restarted).toHaveBeenCalledOnce();
  expect(taken).toHaveLength(2);
  expect(await all()).toMatchObject(next.map(({ text }) => ({ text })));
});

test("of a long task that grows, only its end is read", async () => {
  const { store, taken, restarted, change } = await followed(numbered(1, 2_000));
  await change(numbered(1, 2_003));
  expect(store.read).toEqual([50]);
  expect(taken.slice(2_000)).toMatchObject([
    { seq: 2_001, text: "Message 2001" },
    { seq: 2_002, text: "Message 2002" },
    { seq: 2_003, text: "Message 2003" },
  ]);
  expect(restarted).not.toHaveBeenCalled();
});

test("of a long task that gains very much, the rest is read, too", async () => {
  const { store, taken, restarted, change, all } = await followed(numbered(1, 2_000));
  await change(numbered(1, 2_100));
  expect(store.read).toEqual([50, 500]);
  expect(taken.map(({ seq }) => seq)).toEqual(numbered(1, 2_100).map(({ index }) => index + 1));
  expect(await all()).toEqual(taken);
  expect(restarted).not.toHaveBeenCalled();
});

test("a task that was rewound and continued differently begins again", async () => {
  const { restarted, change, all } = await followed(numbered(1, 2_000));
  const next = [...numbered(1, 1_940), ...numbered(1_941, 2_030, "Other")];
  await change(next);
  expect(restarted).toHaveBeenCalledOnce();
  expect(await all()).toMatchObject(next.map(({ text }) => ({ text })));
});

test("a stored task that changed while nobody followed it is read again when it is opened", async () => {
  const { store, follower, all } = await followed([LOOK]);
  follower.dispose();
  await all();
  expect(store.read).toEqual([]);
  store.change([LOOK], ["other"]);
  await all();
  expect(store.read).toEqual([]);
  store.change([LOOK, AGAIN], []);
  expect(await all()).toHaveLength(2);
});
