import { EventEmitter } from "vscode";
import { expect, test, vi } from "vitest";
import { ResponseError } from "vscode-jsonrpc/node";

import type { Mark } from "../../../src/marks/marks.js";
import { MAX_VARIABLES } from "../../../src/panel/events/variables.js";
import type { ToWebview } from "../../../src/panel/messages.js";
import { Outbox } from "../../../src/service/outbox.js";
import { PanelSession } from "../../../src/panel/panelSession.js";
import {
  type AsyncTask,
  ErrorCode,
  type LaunchParams,
  type TaskEvent,
  type TasksDidChange,
} from "../../../src/protocol.js";
import type { ServiceState, SubagentService } from "../../../src/service/service.js";
import { runOf } from "../../../src/stored/storedRun.js";
import { pageIdOf } from "../../../src/storedRef.js";
import { FakeMemento } from "../memory.js";
import { storedTask } from "../tasks.js";

function task(changes: Partial<AsyncTask> = {}): AsyncTask {
  return {
    id: "t1",
    subagentName: "tester",
    goalPrompt: "Line one\nline two",
    status: "running",
    launchedAt: 1,
    progress: { turns: 0, toolCalls: 0, lastActivityAt: 1 },
    runner: "r",
    workspaceDir: "/w",
    ...changes,
  };
}

const EVENT: TaskEvent = { type: "message", seq: 1, ts: 1, messageId: "m", text: "x" };

/** A sidecar that answers what it is given, and records what is asked of it. */
class FakeService implements SubagentService {
  state: ServiceState = { kind: "running" };
  readonly info = undefined;
  readonly tasks = new Map([["t1", task()]]);
  readonly asked: [string, object][] = [];
  readonly followers = new Set<(events: TaskEvent[]) => void>();
  readonly answers: Record<string, () => unknown> = {
    "subagents/list": () => ({ items: [], problems: [] }),
    "runners/list": () => ({ items: [] }),
    "asyncTasks/get": () => ({ task: task(), revision: 1 }),
    "asyncTasks/launch": () => ({ task: task({ id: "t2" }), revision: 1 }),
    "asyncTasks/cancel": () => ({
      cancelled: true,
      task: task({ status: "cancelled" }),
      revision: 1,
    }),
  };
  readonly states = new EventEmitter<ServiceState>();
  readonly changes = new EventEmitter<AsyncTask>();
  readonly definitions = new EventEmitter<void>();
  readonly settings = new EventEmitter<void>();
  readonly restarts = new EventEmitter<void>();
  readonly onDidChangeState = this.states.event;
  readonly onDidChangeTask = this.changes.event;
  readonly removals = new EventEmitter<readonly string[]>();
  readonly onDidRemoveTasks = this.removals.event;
  readonly history = new EventEmitter<TasksDidChange>();
  readonly onDidChangeHistory = this.history.event;
  readonly onDidChangeDefinitions = this.definitions.event;
  readonly onDidChangeSettings = this.settings.event;
  readonly onDidRestart = this.restarts.event;
  readonly start = vi.fn(() => Promise.resolve());

  request(method: string, params: object): Promise<never> {
    this.asked.push([method, params]);
    return Promise.resolve().then(() => this.answers[method]?.() as never);
  }

  follow(_: string, __: number, onEvents: (events: TaskEvent[]) => void) {
    this.followers.add(onEvents);
    return { dispose: () => this.followers.delete(onEvents) };
  }
}

function panel(
  pickFolder = (): Promise<string | undefined> => Promise.resolve("/w"),
  folders: readonly string[] = ["/w"],
  images: readonly string[] = [],
) {
  const service = new FakeService();
  const posted: ToWebview[] = [];
  const act = vi.fn();
  const open = vi.fn();
  const shows = vi.fn();
  const notes = new Map<string, Mark>();
  const noted = new EventEmitter<void>();
  const outbox = new Outbox(new FakeMemento(), service);
  const session = new PanelSession(service, outbox, {
    post: (message) => posted.push(message),
    act,
    opensElsewhere: () => false,
    compose: () => undefined,
    findFiles: (text, show) => {
      show([`src/${text}.py`]);
      return Promise.resolve();
    },
    pictureVersion: (path) => Promise.resolve(path === "/w/a.png" ? "1-2" : undefined),
    attach: ({ uris = [] }) =>
      uris.length === 0 ? Promise.reject(new Error("Nothing to attach.")) : Promise.resolve(uris),
    shows,
    marks: { of: (taskId) => notes.get(taskId) ?? {}, onDidChange: noted.event },
    open,
    pickFolder,
    otherFolders: (folder) => folders.filter((each) => each !== folder),
    imagesNamed: () => Promise.resolve(images),
    launchOptions: () => ({}),
  });
  const receive = async (...messages: unknown[]): Promise<void> => {
    for (const message of messages) {
      session.receive(message);
      await new Promise(setImmediate);
    }
  };
  const types = (): string[] => posted.map(({ type }) => type);
  const note = (taskId: string, mark: Mark): void => {
    notes.set(taskId, mark);
    noted.fire();
  };
  return { service, session, posted, act, open, shows, note, receive, types };
}

const LAUNCH = { type: "launch", subagentName: "tester", goalPrompt: "g", queue: false };
const FOLLOW = { type: "follow", taskId: "t1", afterSeq: 0 };

const LIMIT = "Limit reached: 5 subagents can run at once.";

test("a page that is ready receives everything, and the sidecar started", async () => {
  const { service, types, receive } = panel();
  await receive({ type: "ready" });
  expect(types()).toEqual(expect.arrayContaining(["service", "runs", "definitions"]));
  expect(service.start).toHaveBeenCalledOnce();
});

test("a row of the list is small: one line of the goal, and no output", async () => {
  const { service, posted, receive } = panel();
  const output = { terminate_reason: "GOAL", emitted_vars: {}, final_message: "long" };
  service.tasks.set("t1", task({ goalPrompt: "a\n".repeat(9_000), output }));
  await receive({ type: "ready" });
  const runs = posted.find((message) => message.type === "runs");
  expect(JSON.stringify(runs).length).toBeLessThan(500);
});

test("of many or long variables, the page receives the newest, cut to what it shows", async () => {
  const { service, posted, receive } = panel();
  const long = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, at) => [`v${String(at)}`, "x".repeat(5_000)]),
  );
  const output = { terminate_reason: "GOAL", emitted_vars: { ...long, ["n".repeat(9_000)]: [1] } };
  await receive({ type: "ready" }, FOLLOW);
  service.changes.fire(task({ output }));
  const sent = posted.findLast((message) => message.type === "task");
  const shown = sent?.task.output?.emitted_vars ?? {};
  const names = Object.keys(shown);
  expect(names).toHaveLength(MAX_VARIABLES + 1);
  expect(names.at(-2)).toBe("v2999");
  expect(shown["v2999"]).toContain("(4,000 characters omitted)");
  expect(shown[names.at(-1) ?? ""]).toEqual([1]);
  expect(JSON.stringify(shown).length).toBeLessThan(150_000);
});

test("nothing is sent to a page that is not there", async () => {
  const { service, session, posted, receive } = panel();
  service.changes.fire(task());
  expect(posted).toEqual([]);
  await receive({ type: "ready" }, FOLLOW);
  session.hide();
  posted.length = 0;
  service.changes.fire(task());
  expect(posted).toEqual([]);
  expect(service.followers.size).toBe(0);
});

test("what is to be shown waits for the page", async () => {
  const { session, posted, receive } = panel();
  session.show({ type: "open", taskId: "t1" });
  await receive({ type: "ready" });
  expect(posted).toContainEqual({ type: "open", taskId: "t1" });
  posted.length = 0;
  await receive({ type: "ready" });
  expect(posted).not.toContainEqual({ type: "open", taskId: "t1" });
});

test("one run is followed at a time, with its task and its events", async () => {
  const { service, posted, receive } = panel();
  await receive({ type: "ready" }, FOLLOW, { ...FOLLOW, afterSeq: 3 });
  expect(service.followers.size).toBe(1);
  service.followers.forEach((follower) => {
    follower([EVENT]);
  });
  expect(posted).toContainEqual({ type: "task", task: task(), takesMessages: true });
  expect(posted.at(-1)).toEqual({ type: "events", taskId: "t1", events: [EVENT] });
});

test("after a restart the list and the followed task are sent again", async () => {
  const { service, types, posted, receive } = panel();
  await receive({ type: "ready" }, FOLLOW);
  posted.length = 0;
  service.restarts.fire();
  await new Promise(setImmediate);
  expect(types()).toEqual(expect.arrayContaining(["runs", "definitions", "task"]));
});

test("a run that is deleted elsewhere leaves the page, and nothing follows it", async () => {
  const { service, posted, receive } = panel();
  await receive({ type: "ready" }, FOLLOW);
  posted.length = 0;
  service.tasks.delete("t1");
  service.removals.fire(["t1"]);
  expect(posted).toEqual([
    { type: "runs", runs: [] },
    { type: "taskDeleted", taskId: "t1" },
  ]);
  expect(service.followers.size).toBe(0);
});

test("definitions that changed are asked for again, by a page that is there", async () => {
  const { service, types, posted, receive } = panel();
  service.definitions.fire();
  expect(service.asked).toEqual([]);
  await receive({ type: "ready" });
  posted.length = 0;
  service.definitions.fire();
  await new Promise(setImmediate);
  expect(types()).toEqual(["definitions"]);
});

test("a launch works in the chosen folder and is shown when it has begun", async () => {
  const { service, posted, receive } = panel();
  await receive({ type: "ready" }, LAUNCH);
  const params = { subagentName: "tester", goalPrompt: "g", workspaceDir: "/w" };
  expect(service.asked).toContainEqual(["asyncTasks/launch", params]);
  expect(posted).toContainEqual({ type: "launched", taskId: "t2", sent: { goalPrompt: "g" } });
});

test("a launch works where the user chose", async () => {
  const { service, receive } = panel();
  const chosen = { tester: { model: "m", placement: "ray gpu=yes" } };
  await receive({ type: "ready" }, { ...LAUNCH, chosen });
  const params = { subagentName: "tester", goalPrompt: "g", workspaceDir: "/w" };
  const place = { model: "m", placement: "ray", nodeLabels: { gpu: "yes" } };
  expect(service.asked).toContainEqual(["asyncTasks/launch", { ...params, ...place }]);
});

test("a launch without a folder is dropped", async () => {
  const { service, posted, receive } = panel(() => Promise.resolve(undefined));
  await receive({ type: "ready" }, LAUNCH);
  expect(posted).toContainEqual({ type: "launchDropped" });
  expect(service.asked.map(([method]) => method)).not.toContain("asyncTasks/launch");
});

test("a launch over the limit may be queued", async () => {
  const { service, posted, receive } = panel();
  service.answers["asyncTasks/launch"] = () => {
    throw new ResponseError(ErrorCode.LimitReached, "Max async tasks (5)", { running: 5, max: 5 });
  };
  await receive({ type: "ready" }, LAUNCH, { ...LAUNCH, queue: true });
  expect(posted).toContainEqual({
    type: "launchFailed",
    message: LIMIT,
    canQueue: true,
    setting: "maxAsyncTasks",
    sent: { goalPrompt: "g" },
  });
  expect(service.asked.at(-1)?.[1]).toMatchObject({ overLimit: "queue" });
});

test("a launch that fails before it is sent says why, so that the page can try again", async () => {
  const { posted, receive } = panel(() => Promise.reject(new Error("The folder is gone.")));
  await receive({ type: "ready" }, LAUNCH);
  const refused = { message: "The folder is gone.", canQueue: false };
  const sent = { goalPrompt: "g" };
  expect(posted).toContainEqual({ type: "launchFailed", ...refused, sent });
});

test("a launch that ends while the page is hidden is only listed by the next one", async () => {
  const { service, session, posted, receive } = panel();
  await receive({ type: "ready" });
  session.receive(LAUNCH);
  session.hide();
  await vi.waitFor(() => {
    expect(service.asked.map(([method]) => method)).toContain("asyncTasks/launch");
  });
  await new Promise(setImmediate);
  expect(posted).not.toContainEqual({ type: "launched", taskId: "t2", sent: { goalPrompt: "g" } });
  session.show({ type: "home" });
  await receive({ type: "ready" });
  expect(posted).toContainEqual({
    type: "launched",
    taskId: "t2",
    sent: { goalPrompt: "g" },
    isLate: true,
  });
  expect(posted).toContainEqual({ type: "home" });
});

test("the answer to a launch is sent again to the next page until one has saved it", async () => {
  const { session, posted, receive } = panel();
  const late = { type: "launched", taskId: "t2", sent: { goalPrompt: "g" }, isLate: true };
  await receive({ type: "ready" }, LAUNCH);
  expect(posted).toContainEqual({ type: "launched", taskId: "t2", sent: { goalPrompt: "g" } });
  session.hide(); // The message went to a page that was being taken away.
  await receive({ type: "ready" });
  expect(posted.filter((message) => "isLate" in message)).toEqual([late]);
  await receive({ type: "noted" }, { type: "ready" });
  expect(posted.filter((message) => "isLate" in message)).toEqual([late]);
});

test("a page that comes back knows of a second launch that waits", async () => {
  const { service, session, posted, receive } = panel();
  const answers: ((value: unknown) => void)[] = [];
  service.answers["asyncTasks/launch"] = () =>
    new Promise((resolve) => {
      answers.push(resolve);
    });
  await receive({ type: "ready" }, LAUNCH, LAUNCH);
  await vi.waitFor(() => {
    expect(answers).toHaveLength(2);
  });
  answers[0]?.({ task: task({ id: "t2" }), revision: 1 });
  await new Promise(setImmediate);
  session.hide();
  posted.length = 0;
  await receive({ type: "noted" }, { type: "ready" });
  expect(posted).toContainEqual({ type: "launching" });
});

test("the page learns which images it may load", async () => {
  const { posted, receive } = panel();
  const [own, other] = ["/w/a.png", "/etc/a.png"];
  await receive(
    { type: "ready" },
    { type: "picture", path: own },
    { type: "picture", path: other },
  );
  expect(posted).toContainEqual({ type: "picture", path: own, version: "1-2" });
  expect(posted).toContainEqual({ type: "picture", path: other, version: undefined });
});

test("a page that comes back before its launch is answered knows that it waits", async () => {
  const { service, session, posted, receive } = panel();
  let answer: (value: unknown) => void = () => undefined;
  service.answers["asyncTasks/launch"] = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  await receive({ type: "ready" }, LAUNCH);
  session.hide();
  await receive({ type: "ready" });
  expect(posted).toContainEqual({ type: "launching" });
  answer({ task: task({ id: "t2" }), revision: 1 });
  await vi.waitFor(() => {
    expect(posted).toContainEqual({ type: "launched", taskId: "t2", sent: { goalPrompt: "g" } });
  });
});

test("the page lists every run that the window knows", async () => {
  const { service, posted, receive } = panel();
  for (let at = 0; at < 900; at += 1) {
    service.tasks.set(`q${at}`, task({ id: `q${at}`, status: "queued" }));
  }
  await receive({ type: "ready" });
  const sent = posted.findLast((message) => message.type === "runs");
  expect(sent?.runs).toHaveLength(service.tasks.size);
});

test("another window's change of the limit reaches the page", async () => {
  const { service, posted, receive } = panel();
  service.answers["asyncTasks/list"] = () => ({ items: [], max: 3 });
  await receive({ type: "ready" });
  service.settings.fire();
  await vi.waitFor(() => {
    expect(posted).toContainEqual({ type: "limit", max: 3 });
  });
});

test("a run that needs a sign-in comes with the commands of its agent", async () => {
  const { service, posted, receive } = panel();
  const auth = { needed: true, methods: [], command: ["r", "login"] };
  service.answers["runners/list"] = () => ({ items: [{ name: "r", auth }] });
  await receive({ type: "ready" }, FOLLOW);
  expect(posted.some(({ type }) => type === "signIn")).toBe(false);
  service.changes.fire(task({ status: "failed", reason: "authRequired" }));
  await new Promise(setImmediate);
  expect(posted).toContainEqual({ type: "signIn", taskId: "t1", commands: ["r login"] });
});

test("a cancel tells how the run ended, or why it did not", async () => {
  const { service, posted, receive } = panel();
  await receive({ type: "ready" }, FOLLOW, { type: "cancel", taskId: "t1" });
  expect(posted.at(-1)).toMatchObject({ type: "task", task: { status: "cancelled" } });
  service.answers["asyncTasks/cancel"] = () => {
    throw new Error("gone");
  };
  await receive({ type: "cancel", taskId: "t1" });
  expect(posted.at(-1)).toEqual({ type: "cancelFailed", taskId: "t1", message: "gone" });
});

test("an answer is handed on, and why it did not count is reported", async () => {
  const { service, posted, receive } = panel();
  const given = { taskId: "t1", requestId: "r", optionId: "o" };
  await receive({ type: "ready" }, { type: "answer", ...given });
  expect(service.asked.at(-1)).toEqual(["asyncTasks/answer", given]);
  service.answers["asyncTasks/answer"] = () => {
    throw new Error("answered already");
  };
  await receive({ type: "answer", ...given });
  const failure = {
    type: "answerFailed",
    taskId: "t1",
    requestId: "r",
    message: "answered already",
  };
  expect(posted.at(-1)).toEqual(failure);
});

test("an answer or a message that comes too late is refused in words without IDs", async () => {
  const { service, posted, receive } = panel();
  const data = { taskId: "t1", status: "completed" };
  const refused = (message: string) => () => {
    throw Object.assign(new Error(message), { code: -32017, data });
  };
  service.answers["asyncTasks/answer"] = refused("task t1 has no open question 'r'");
  service.answers["asyncTasks/send"] = refused("task t1 cannot receive messages: it is completed");
  await receive({ type: "ready" }, { type: "answer", taskId: "t1", requestId: "r", optionId: "o" });
  expect(posted.at(-1)).toMatchObject({ message: "This question is no longer open." });
  await receive({ type: "reply", taskId: "t1", requestId: "r", action: "decline" });
  expect(posted.at(-1)).toMatchObject({ message: "This question is no longer open." });
  await receive({ type: "send", taskId: "t1", text: "hi" });
  expect(posted.at(-1)).toMatchObject({
    type: "sendFailed",
    message: "This is no longer possible. Status of the subagent: Completed",
  });
});

test("what a reader wants to open at is handed on", async () => {
  const { open, receive } = panel();
  const wanted = { type: "openDiff", taskId: "t1", seq: 2, index: 0 };
  const changes = { type: "openChanges", taskId: "t1" };
  await receive(wanted, { ...wanted, seq: "2" }, { type: "openFile", taskId: "t1" }, changes);
  expect(open.mock.calls).toEqual([[wanted], [changes]]);
});

test("what the user notes about a run is in its row and in its conversation, at once", async () => {
  const { posted, shows, note, receive } = panel();
  await receive({ type: "ready" }, FOLLOW);
  posted.length = 0;
  note("t1", { title: "Mine", pinned: true, tags: ["later"] });
  await receive();
  await new Promise(setImmediate);
  const row = { title: "Mine", pinned: true, tags: ["later"], goal: "Line one line two" };
  expect(posted).toMatchObject([
    { type: "runs", runs: [row] },
    { type: "task", title: "Mine" },
  ]);
  expect(shows).toHaveBeenLastCalledWith(expect.objectContaining({ id: "t1" }), "Mine");
});

test("files are found for what the user types after an @", async () => {
  const { posted, receive } = panel();
  await receive({ type: "ready" });
  posted.length = 0;
  await receive({ type: "findFiles", text: "days" }, { type: "findFiles" });
  expect(posted).toEqual([{ type: "foundFiles", text: "days", paths: ["src/days.py"] }]);
});

test("several subagents are launched with one goal, and shown next to each other", async () => {
  const { service, posted, receive } = panel();
  await receive({ type: "ready" });
  let launches = 0;
  service.answers["asyncTasks/launch"] = () => {
    launches += 1;
    return { task: task({ id: `n${launches}` }), revision: 1 };
  };
  service.asked.length = posted.length = 0;
  await receive({ ...LAUNCH, also: ["fixer"] });
  await new Promise(setImmediate);
  const goals = { goalPrompt: "g", workspaceDir: "/w" };
  expect(service.asked).toEqual([
    ["asyncTasks/launch", { ...goals, subagentName: "tester" }],
    ["asyncTasks/launch", { ...goals, subagentName: "fixer" }],
  ]);
  expect(posted.at(-1)).toEqual({
    type: "launched",
    taskId: "n1",
    others: ["n2"],
    sent: { goalPrompt: "g", also: ["fixer"] },
  });
});

test.each([
  [true, {}, ["/other"]],
  [false, {}, undefined],
  [undefined, {}, undefined],
  [true, { placement: "ray" }, undefined],
  [true, {}, undefined, "ray"],
  [true, { placement: "local" }, ["/other"], "ray"],
])(
  "an agent that takes further folders (%j) gets the others of the window with %j: %j, %j",
  async (additionalDirectories, chosen, expected, placement?: string) => {
    const { service, receive } = panel(undefined, ["/w", "/other"]);
    await receive({ type: "ready" });
    const items = [{ name: "tester", runner: "claude", placement }];
    service.answers["subagents/list"] = () => ({ items, problems: [] });
    const features = additionalDirectories === undefined ? undefined : { additionalDirectories };
    service.answers["runners/list"] = () => ({ items: [{ name: "claude", features }] });
    service.answers["asyncTasks/launch"] = () => ({ task: task({ id: "n1" }), revision: 1 });
    await receive({ ...LAUNCH, chosen: { tester: chosen } });
    await new Promise(setImmediate);
    const [method, params] = service.asked.at(-1) ?? [];
    expect(method).toBe("asyncTasks/launch");
    expect((params as LaunchParams).additionalDirectories).toEqual(expected);
  },
);

test.each([
  [true, [{ path: "a.png" }]],
  [false, undefined],
])("images that the goal names go to an agent that takes them (%j)", async (takes, expected) => {
  const { service, receive } = panel(undefined, ["/w"], ["a.png"]);
  await receive({ type: "ready" });
  const items = [{ name: "tester", runner: "claude" }];
  service.answers["subagents/list"] = () => ({ items, problems: [] });
  service.answers["runners/list"] = () => ({
    items: [{ name: "claude", features: { images: takes } }],
  });
  service.answers["asyncTasks/launch"] = () => ({ task: task({ id: "n1" }), revision: 1 });
  await receive(LAUNCH);
  await new Promise(setImmediate);
  expect((service.asked.at(-1)?.[1] as LaunchParams).attachments).toEqual(expected);
});

test("attached files come before the images that the goal names, for every agent", async () => {
  const { service, receive } = panel(undefined, ["/w"], ["a.png"]);
  await receive({ type: "ready" });
  service.answers["subagents/list"] = () => ({
    items: [{ name: "tester", runner: "claude" }],
    problems: [],
  });
  service.answers["runners/list"] = () => ({
    items: [{ name: "claude", features: { images: true } }],
  });
  await receive({ ...LAUNCH, files: ["/x/b c.md"], also: ["other"] });
  await new Promise(setImmediate);
  const launches = service.asked.filter(([method]) => method === "asyncTasks/launch");
  expect(launches.map(([, params]) => (params as LaunchParams).attachments)).toEqual([
    [{ path: "/x/b c.md" }, { path: "a.png" }],
    [{ path: "/x/b c.md" }],
  ]);
});

test("the page gets the paths of what is attached, or why it is not", async () => {
  const { posted, receive } = panel();
  await receive({ type: "ready" }, { type: "attach", uris: ["/x"] }, { type: "attach" });
  expect(posted.slice(-2)).toEqual([
    { type: "attached", paths: ["/x"] },
    { type: "attachFailed", message: "Nothing to attach." },
  ]);
});

test("of several, those that were refused are left for another try", async () => {
  const { service, posted, receive } = panel();
  await receive({ type: "ready" });
  const answers = [task({ id: "n1" }), task({ id: "n2" })];
  service.answers["asyncTasks/launch"] = () => {
    const next = answers.shift();
    if (answers.length === 0) {
      throw new ResponseError(ErrorCode.LimitReached, "full", { running: 5, max: 5 });
    }
    return { task: next, revision: 1 };
  };
  await receive({ ...LAUNCH, also: ["fixer"] });
  await new Promise(setImmediate);
  const refused = { type: "launchFailed", message: LIMIT, left: ["fixer"], launched: ["n1"] };
  expect(posted.at(-1)).toMatchObject(refused);
});

test("a new definition is listed and chosen", async () => {
  const { session, posted, receive } = panel();
  await receive({ type: "ready" });
  posted.length = 0;
  await session.definitionsChanged("mine");
  expect(posted.map(({ type }) => type)).toEqual(["definitions", "choose"]);
});

test("a message goes to the sidecar, and its answer to the page", async () => {
  const { service, posted, receive } = panel();
  service.answers["asyncTasks/send"] = () => ({ delivery: "nextTurn", revision: 1 });
  await receive({ type: "ready" }, { type: "send", taskId: "t1", text: "Go" });
  expect(service.asked.at(-1)).toEqual(["asyncTasks/send", { taskId: "t1", text: "Go" }]);
  expect(posted.at(-1)).toEqual({ type: "sent", taskId: "t1", text: "Go", delivery: "nextTurn" });
});

test("a message that was not delivered is reported when its run is opened again", async () => {
  const { service, session, posted, receive } = panel();
  service.answers["asyncTasks/send"] = () => ({ delivery: "nextTurn", revision: 1 });
  service.answers["asyncTasks/events"] = () => ({ events: [], more: false, lastSeq: 0 });
  await receive({ type: "ready" }, { type: "send", taskId: "t1", text: "Go" });
  session.hide();
  await receive({ type: "ready" }, FOLLOW);
  expect(posted.at(-1)).toEqual({ type: "undelivered", taskId: "t1", texts: ["Go"] });
  posted.length = 0;
  await receive({ type: "forget", taskId: "t1", text: "Go" }, FOLLOW);
  expect(posted.map(({ type }) => type)).not.toContain("undelivered");
});

test("a batch is followed by the next one when the page has seen it", async () => {
  const { service, posted, receive } = panel();
  await receive({ type: "ready" }, FOLLOW);
  service.followers.forEach((follower) => {
    follower([EVENT]);
    follower([{ ...EVENT, seq: 2 }]);
  });
  const batches = () => posted.filter(({ type }) => type === "events").length;
  expect(batches()).toBe(1);
  await receive({ type: "seen", taskId: "t1" });
  expect(batches()).toBe(2);
});

test("earlier events are sent when they are asked for", async () => {
  const { service, posted, receive } = panel();
  service.answers["asyncTasks/events"] = () => ({ events: [EVENT], more: false, lastSeq: 9 });
  await receive({ type: "ready" }, { type: "page", taskId: "t1", side: "before", seq: 2 });
  const page = { type: "page", taskId: "t1", side: "before", seq: 2, events: [EVENT] };
  expect(posted.at(-1)).toEqual(page);
});

test("a message that is refused comes back with the reason", async () => {
  const { service, posted, receive } = panel();
  service.answers["asyncTasks/send"] = () => {
    throw new ResponseError(ErrorCode.InvalidState, "takes no message");
  };
  await receive({ type: "ready" }, { type: "send", taskId: "t1", text: "Go" });
  const message = "takes no message";
  expect(posted.at(-1)).toEqual({ type: "sendFailed", taskId: "t1", text: "Go", message });
});

test("a resumed run is shown as soon as there is a page", async () => {
  const { service, session, posted, receive } = panel();
  service.answers["asyncTasks/resume"] = () => ({ task: task({ id: "t2" }), mode: "session" });
  await receive({ type: "ready" });
  session.receive({ type: "resume", taskId: "t1", queue: false });
  session.hide();
  await receive({ type: "ready" });
  expect(service.asked).toContainEqual(["asyncTasks/resume", { taskId: "t1" }]);
  expect(posted).toContainEqual({ type: "resumed", taskId: "t1", inTaskId: "t2" });
});

test("a resume that is refused says why", async () => {
  const { service, posted, receive } = panel();
  service.answers["asyncTasks/resume"] = () => {
    throw new ResponseError(ErrorCode.InvalidState, "is running");
  };
  await receive({ type: "ready" }, { type: "resume", taskId: "t1", text: "On", queue: false });
  const message = "is running";
  expect(posted.at(-1)).toEqual({ type: "resumeFailed", taskId: "t1", message, canQueue: false });
});

test("a resume over the limit may be queued", async () => {
  const { service, posted, receive } = panel();
  service.answers["asyncTasks/resume"] = () => {
    throw new ResponseError(ErrorCode.LimitReached, "Max async tasks (5)", { running: 5, max: 5 });
  };
  const resume = { type: "resume", taskId: "t1", queue: false };
  await receive({ type: "ready" }, resume, { ...resume, queue: true });
  const problem = { message: LIMIT, canQueue: true, setting: "maxAsyncTasks" };
  expect(posted).toContainEqual({ type: "resumeFailed", taskId: "t1", ...problem });
  expect(service.asked.at(-1)?.[1]).toEqual({ taskId: "t1", overLimit: "queue" });
});

test("a row says what its run waits for", async () => {
  const { service, posted, receive } = panel();
  await receive({ type: "ready" });
  const attention = { kind: "permission", requestId: "r", title: "Run\nit", options: [] } as const;
  service.changes.fire(task({ attention: { ...attention, options: [] } }));
  expect(posted.at(-1)).toMatchObject({ type: "run", run: { asks: "Run it" } });
});

test("what the page may have done beyond is handed on, anything else is dropped", async () => {
  const { act, receive, service } = panel();
  await receive({ type: "act", action: "showLog" }, { type: "act", action: "quit" }, "?", null);
  expect(act.mock.calls).toEqual([["showLog", undefined, { type: "act", action: "showLog" }]]);
  expect(service.asked).toEqual([]);
});

test("the page says how a conversation opens, and whether the user went elsewhere", async () => {
  const { act, receive } = panel();
  const message = { type: "act", action: "openConversation", task: { id: "t1" } } as const;
  await receive({ ...message, isAway: true, toSide: true }, { ...message, isAway: 1, toSide: "" });
  expect(act.mock.calls.map(([, , opening]) => opening as unknown)).toEqual([
    { ...message, isAway: true, toSide: true },
    message,
  ]);
});

test("a session that is disposed of listens to nothing", async () => {
  const { service, session, posted, receive } = panel();
  await receive({ type: "ready" }, FOLLOW);
  session.dispose();
  posted.length = 0;
  service.changes.fire(task());
  service.states.fire({ kind: "running" });
  await new Promise(setImmediate);
  expect([posted, service.followers.size]).toEqual([[], 0]);
});

test("the turns of a run are sent again to a page that returns, though it gets no event again", async () => {
  const { service, session, posted, receive } = panel();
  await receive({ type: "ready" }, FOLLOW);
  service.followers.forEach((onEvents) => {
    onEvents([EVENT]);
  });
  session.hide();
  posted.length = 0;
  await receive({ type: "ready" }, FOLLOW);
  const turns = [{ seq: 1, kind: "plain", text: "x" }];
  expect(posted).toContainEqual({ type: "turns", taskId: "t1", from: 0, turns });
  posted.length = 0;
  await receive({ ...FOLLOW, taskId: "t2" });
  expect(posted.map(({ type }) => type)).not.toContain("turns");
});

const STORED = pageIdOf({ id: "s", root: "/r" });
const NONE = { revision: 2, added: [], changed: [], removed: [] };

/** A panel that shows a stored task, and the states that it posted of it. */
async function storedPanel() {
  const shown = panel();
  const answer = (more: object) => {
    shown.service.answers["asyncTasks/get"] = () => ({
      task: runOf(STORED, storedTask("s", more)),
    });
  };
  answer({ status: "active", outcome: "streaming" });
  await shown.receive({ type: "ready" }, { ...FOLLOW, taskId: STORED });
  const states = () =>
    shown.posted.flatMap((message) => (message.type === "task" ? [message.task.stored] : []));
  const change = async (change: Partial<TasksDidChange>) => {
    shown.service.history.fire({ ...NONE, ...change });
    await new Promise(setImmediate);
  };
  return { ...shown, answer, states, change };
}

test("a stored task that ends while it is open shows its new state, and one that did not change does not", async () => {
  const { answer, states, change } = await storedPanel();
  answer({ status: "completed", outcome: "completed" });
  await change({ changed: ["other"] });
  expect(states()).toEqual([{ status: "active", outcome: "streaming" }]);
  await change({ changed: ["s"] });
  expect(states().at(-1)).toEqual({ status: "completed", outcome: "completed" });
});

test("a stored task that is deleted while it is open stays readable and says so", async () => {
  const { service, types, change } = await storedPanel();
  service.answers["asyncTasks/get"] = () => {
    throw new ResponseError(ErrorCode.TaskNotFound, "no such task");
  };
  await change({ removed: ["s"] });
  expect(types()).toContain("taskDeleted");
  expect(types()).not.toContain("taskMissing");
});

test("a stored task stays as it is while the sidecar does not answer", async () => {
  const { service, types, change } = await storedPanel();
  service.answers["asyncTasks/get"] = () => {
    throw new Error("not running");
  };
  await change({});
  expect(types()).not.toContain("taskDeleted");
  expect(types()).not.toContain("taskMissing");
});

test("the files that a run changed are in the order of the editor with all changes", async () => {
  const { service, posted, receive } = panel();
  const file = (path: string) => ({ path, actions: ["edited"] });
  service.answers["asyncTasks/get"] = () => ({ task: task({ status: "completed" }), revision: 1 });
  service.answers["tasks/files"] = () => ({ files: ["p10.py", "p2.py", "n.py"].map(file) });
  await receive({ type: "ready" }, FOLLOW);
  const files = ["n.py", "p2.py", "p10.py"].map(file);
  expect(posted).toContainEqual({ type: "files", taskId: "t1", files });
});
