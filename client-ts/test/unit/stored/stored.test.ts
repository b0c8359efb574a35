import { EventEmitter } from "vscode";
import { expect, test, vi } from "vitest";

import { pageTask } from "../../../src/panel/pageTask.js";
import type { StoredMessage, TaskEvent, TasksDidChange } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";
import { StoredConversations } from "../../../src/stored/storedConversations.js";
import { eventsOf } from "../../../src/stored/storedEvents.js";
import { runOf } from "../../../src/stored/storedRun.js";
import { pageIdOf, storedRef } from "../../../src/storedRef.js";
import { storedTask } from "../tasks.js";

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

test("the page receives the state of a stored task, also with a text that is cut", () => {
  const stored = { status: "active", outcome: "streaming" } as const;
  const run = runOf("stored:x", storedTask("t", stored));
  expect(pageTask(run).stored).toEqual(stored);
  expect(pageTask({ ...run, error: "x".repeat(100_000) }).stored).toEqual(stored);
});

const HISTORY = new EventEmitter<TasksDidChange>();

function serviceWith(request: unknown): SubagentService {
  return { request, onDidChangeHistory: HISTORY.event } as unknown as SubagentService;
}

test("a stored task is read once, in pages, and its events answered like those of a run", async () => {
  const pages = [MESSAGES.slice(0, 4), MESSAGES.slice(4)];
  const request = vi.fn((method: string, params: { cursor?: string }) => {
    if (method === "tasks/get") {
      return Promise.resolve({ task: storedTask("t", { title: "Mend the roof" }), revision: 1 });
    }
    const at = Number(params.cursor ?? 0);
    const next = at + 1 < pages.length ? { nextCursor: String(at + 1) } : {};
    return Promise.resolve({ messages: pages[at], total: 7, revision: 1, ...next });
  });
  const { service } = new StoredConversations(serviceWith(request));
  const taskId = pageIdOf({ id: "t", root: "/r" });
  const page = { taskId, afterSeq: 1, limit: 2 };
  const first = await service.request("asyncTasks/events", page);
  expect([first.events.map(({ seq }) => seq), first.lastSeq, first.more]).toEqual([
    [2, 3],
    5,
    true,
  ]);
  const asked = request.mock.calls.length;
  await service.request("asyncTasks/events", { ...page, afterSeq: 3 });
  expect(request.mock.calls.length).toBe(asked);
  const taken = vi.fn();
  service.follow(taskId, 0, taken);
  await vi.waitFor(() => {
    expect(taken).toHaveBeenCalledOnce();
  });
});

test("what concerns runs goes to the sidecar as it is", async () => {
  const request = vi.fn(() => Promise.resolve({}));
  const { service } = new StoredConversations(serviceWith(request));
  await service.request("asyncTasks/get", { taskId: "run" });
  expect(request).toHaveBeenCalledWith("asyncTasks/get", { taskId: "run" }, undefined);
});

const CHANGED = { revision: 2, added: [], changed: ["t"], removed: [] };

/** A stored task whose messages change, and what a page that follows it receives. */
async function followed(messages: StoredMessage[]) {
  const request = vi.fn((method: string) =>
    Promise.resolve(
      method === "tasks/get"
        ? { task: storedTask("t"), revision: 1 }
        : { messages, total: messages.length, revision: 1 },
    ),
  );
  const { service } = new StoredConversations(serviceWith(request));
  const taskId = pageIdOf({ id: "t", root: "/r" });
  const taken: TaskEvent[] = [];
  const restarted = vi.fn();
  const follower = service.follow(taskId, 0, (events) => taken.push(...events), restarted);
  await vi.waitFor(() => {
    expect(taken).not.toEqual([]);
  });
  const change = async (next: StoredMessage[]) => {
    messages.splice(0, messages.length, ...next);
    HISTORY.fire(CHANGED);
    await vi.waitFor(() => {
      expect(request.mock.calls.filter(([method]) => method === "tasks/get")).toHaveLength(2);
    });
    await new Promise(setImmediate);
  };
  const all = async () =>
    (await service.request("asyncTasks/events", { taskId, afterSeq: 0, limit: 99 })).events;
  return { request, service, taskId, follower, taken, restarted, change, all };
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

test("a stored task that changed while nobody followed it is read again when it is opened", async () => {
  const { request, follower, all } = await followed([LOOK]);
  follower.dispose();
  request.mockClear();
  await all();
  expect(request).not.toHaveBeenCalled();
  HISTORY.fire({ ...CHANGED, changed: ["other"] });
  await all();
  expect(request).not.toHaveBeenCalled();
  HISTORY.fire({ ...CHANGED, changed: [] });
  await all();
  expect(request).toHaveBeenCalled();
});
