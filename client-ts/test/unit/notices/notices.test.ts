import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { AsyncTask, Attention } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";
import { confirm, inform, showError, warn } from "../../../src/questions/notify.js";
import { notifyEnds } from "../../../src/notices/endNotices.js";
import { AWAY_MS, BURST_MS, Notices } from "../../../src/notices/notices.js";
import { SystemNotices } from "../../../src/notices/systemNotices.js";
import { notifyQuestions } from "../../../src/notices/questionNotices.js";
import {
  env,
  EventEmitter,
  focusChanges,
  shown,
  UIKind,
  Uri,
  window,
  workspace,
} from "../../vscode.js";
import { asyncTask } from "../tasks.js";

const LINK = "[How to fix](command:workbench.action.terminal.sendSequence)";
const UNLINKED = "[How to fix] (command:workbench.action.terminal.sendSequence)";
const ATTENTION: Attention = {
  ...{ kind: "permission", requestId: "r", title: "Show git status", toolKind: "execute" },
  options: [
    { optionId: "y", name: "Reject", kind: "allow_once" },
    { optionId: "n", name: "Allow", kind: "reject_once" },
    { optionId: "a", name: "No", kind: "allow_always", scope: "`ls` in this workspace" },
  ],
};

/** The notifications of the system, and what the log says of them. */
const outside = {
  texts: [] as string[],
  log: [] as string[],
  remote: [] as string[],
  problem: undefined as string | undefined,
};

beforeEach(() => {
  Object.assign(outside, { texts: [], log: [], remote: [], problem: undefined });
  Object.assign(env, { remoteName: undefined, uiKind: UIKind.Desktop });
  vi.useFakeTimers();
  Object.assign(shown, { messages: [], buttons: [], answers: [], settings: {} });
  workspace.workspaceFolders = undefined;
  window.state.focused = true;
});

afterEach(() => {
  focusChanges.dispose();
  vi.useRealTimers();
});

/** A window's notifications, with what the sidecar tells it. */
function notifying(isShown = false) {
  const changes = new EventEmitter<AsyncTask>();
  const request = vi.fn(() => Promise.resolve({}));
  const tasks = new Map<string, AsyncTask>();
  changes.event((task) => tasks.set(task.id, task));
  const service = { onDidChangeTask: changes.event, tasks, request } as unknown as SubagentService;
  const reveal = vi.fn(() => Promise.resolve());
  const panel = { shows: () => isShown, reveal };
  const system = new SystemNotices(
    (line) => outside.log.push(line),
    (_, text) => {
      outside.remote.push(text);
      return Promise.resolve(undefined);
    },
    (_, text) => {
      outside.texts.push(text);
      return Promise.resolve(outside.problem);
    },
  );
  const notices = new Notices(panel, system);
  notifyQuestions(service, panel, notices);
  notifyEnds(service, panel, notices);
  return { changes, request, reveal };
}

/** Let a run ask while the panel is hidden; tells what was requested of the sidecar. */
function ask(attention: Partial<Attention>, more: Partial<AsyncTask> = {}) {
  const { changes, request, reveal } = notifying();
  changes.fire(asyncTask("t", { attention: { ...ATTENTION, ...attention }, ...more }));
  vi.advanceTimersByTime(BURST_MS);
  return { request, reveal };
}

test("no message of the extension has a link that a sidecar's words made", async () => {
  await Promise.all([
    inform(LINK),
    warn(LINK),
    showError(new Error(LINK)),
    confirm(LINK, "", "OK"),
  ]);
  expect(shown.messages).toEqual(Array(4).fill(UNLINKED));
});

test("a notification names the command, and its buttons what they do", async () => {
  shown.answers = ["Allow Once"];
  const { request } = ask({ command: "ls" });
  expect(shown.messages).toEqual(["reviewer wants to run in house: ls"]);
  expect(shown.buttons).toEqual([["Allow Once", "Reject", "Show"]]);
  await vi.waitFor(() => {
    const answer = { taskId: "t", requestId: "r", optionId: "y" };
    expect(request).toHaveBeenCalledWith("asyncTasks/answer", answer);
  });
});

test.each(["a; ".repeat(100), `echo ${LINK}`])(
  "of a command that a notification cannot show, only Show and Reject are offered: %j",
  (command) => {
    ask({ command });
    expect(shown.buttons).toEqual([["Show", "Reject"]]);
  },
);

test("a notification of an edit names its file as the conversation does, and leads there first", async () => {
  shown.answers = ["Show"];
  const diff = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n";
  const { reveal } = ask({ toolKind: "edit", paths: ["/house/src/days.py"], diff });
  expect(shown.messages).toEqual(["reviewer wants to edit: src/days.py (+1 −1)"]);
  expect(shown.buttons).toEqual([["Show", "Reject"]]);
  await vi.waitFor(() => {
    expect(reveal).toHaveBeenCalledWith("t");
  });
});

test("a rejection in a notification that outlived its question rejects nothing", async () => {
  shown.answers = ["Reject"];
  const { changes, request } = notifying();
  const attention = { ...ATTENTION, toolKind: "edit", paths: ["/house/a.py"], diff: "+x\n" };
  changes.fire(asyncTask("t", { attention }));
  vi.advanceTimersByTime(BURST_MS);
  changes.fire(asyncTask("t", { status: "completed", endReason: "goal" }));
  await vi.waitFor(() => {
    expect(shown.messages[1]).toBe("This question is no longer open.");
  });
  expect(request).not.toHaveBeenCalled();
});

test("an always is answered in the conversation, whose buttons show its scope", async () => {
  shown.answers = ["Show"];
  const scope = "edits to a/very/long/path/that/no/button/of/a/notification/shows.py";
  const options = [{ optionId: "a", name: "Always", kind: "allow_always", scope }];
  const { reveal } = ask({ command: "ls", options });
  expect(shown.buttons).toEqual([["Show"]]);
  await vi.waitFor(() => {
    expect(reveal).toHaveBeenCalledWith("t");
  });
});

const QUESTION: Attention = {
  ...{ kind: "question", requestId: "r", title: "Push it?", options: [] },
  schema: { type: "object", properties: { push: { type: "boolean" } }, required: [] },
};

test("a question with one field is asked at once, and its answer sent", async () => {
  shown.answers = ["Answer…", "Yes"];
  const { request } = ask(QUESTION);
  await vi.waitFor(() => {
    const answer = { taskId: "t", requestId: "r", action: "accept", content: { push: true } };
    expect(request).toHaveBeenCalledWith("asyncTasks/answer", answer);
  });
});

test.each([
  ["a question", QUESTION, "Answer…"],
  ["a permission request", { ...ATTENTION, command: "ls" }, "Allow Once"],
])("%s that was answered elsewhere says so and leads there", async (_, attention, button) => {
  const pick = vi.spyOn(window, "showQuickPick");
  shown.answers = [button, "Show Conversation"];
  const { changes, request, reveal } = notifying();
  changes.fire(asyncTask("t", { attention }));
  vi.advanceTimersByTime(BURST_MS);
  changes.fire(asyncTask("t", { attention: { ...attention, requestId: "next" } }));
  await vi.waitFor(() => {
    expect(reveal).toHaveBeenCalledWith("t");
  });
  expect(shown.messages[1]).toBe("This question is no longer open.");
  expect(shown.buttons[1]).toEqual(["Show Conversation"]);
  expect([pick.mock.calls, request.mock.calls]).toEqual([[], []]);
});

test("an answer that comes too late is refused in words without IDs", async () => {
  shown.answers = ["Allow Once"];
  const { changes, request } = notifying();
  const refusal = Object.assign(new Error("task t has no open question 'r'"), { code: -32017 });
  request.mockRejectedValueOnce(refusal);
  changes.fire(asyncTask("t", { attention: { ...ATTENTION, command: "ls" } }));
  vi.advanceTimersByTime(BURST_MS);
  await vi.waitFor(() => {
    expect(shown.messages[1]).toBe("This question is no longer open.");
  });
});

/** Let a run end; returns the conversations that were opened. */
function end(task: Partial<AsyncTask>, isShown = false): ReturnType<typeof vi.fn> {
  const { changes, reveal } = notifying(isShown);
  changes.fire(asyncTask("t"));
  changes.fire(asyncTask("t", { status: "completed", endReason: "goal", ...task }));
  changes.fire(asyncTask("t", { status: "completed", endReason: "goal", ...task }));
  vi.advanceTimersByTime(BURST_MS);
  return reveal;
}

test("a run that ends while the panel is hidden is reported once, and can be shown", async () => {
  shown.answers = ["Show"];
  const reveal = end({});
  expect(shown.messages).toEqual(["reviewer: Completed · Review the last commit."]);
  await vi.waitFor(() => {
    expect(reveal).toHaveBeenCalledWith("t");
  });
});

test("a run of another workspace is reported by its own window", () => {
  workspace.workspaceFolders = [{ uri: Uri.file("/house") }];
  const owner = { client: "vscode", workspaceDir: "/elsewhere" };
  end({ owner });
  ask({ command: "ls" }, { owner });
  expect(shown.messages).toEqual([]);
  end({ owner: { ...owner, workspaceDir: "/house" } });
  end({ owner: { client: "cli", workspaceDir: "/elsewhere" } });
  expect(shown.messages).toHaveLength(2);
});

test("a run that the user cancelled or can see is not reported", () => {
  end({ status: "cancelled", endReason: "cancelledByUser" });
  end({}, true);
  expect(shown.messages).toEqual([]);
});

test("a burst is one notification, which leads to what waits", async () => {
  shown.answers = ["Show"];
  const { changes, reveal } = notifying();
  for (const id of ["a", "b"]) {
    changes.fire(asyncTask(id));
    changes.fire(asyncTask(id, { status: "completed", endReason: "goal" }));
  }
  changes.fire(asyncTask("c", { attention: ATTENTION }));
  vi.advanceTimersByTime(BURST_MS);
  expect(shown.messages).toEqual(["2 subagents ended · 1 needs you"]);
  await vi.waitFor(() => {
    expect(reveal).toHaveBeenCalledWith("c");
  });
});

/** Let a run end after some time. */
function endLater({ changes }: ReturnType<typeof notifying>, id: string, ms: number): void {
  vi.advanceTimersByTime(ms);
  changes.fire(asyncTask(id));
  changes.fire(asyncTask(id, { status: "completed", endReason: "goal" }));
}

test("who is away gets what follows a notification within seconds as one", () => {
  window.state.focused = false;
  const sent = notifying();
  endLater(sent, "a", 0);
  endLater(sent, "b", BURST_MS + 1_000);
  endLater(sent, "c", 2_000);
  expect(shown.messages).toEqual(["reviewer: Completed · Review the last commit."]);
  vi.advanceTimersByTime(AWAY_MS);
  expect(shown.messages.slice(1)).toEqual(["2 subagents ended"]);
  endLater(sent, "d", AWAY_MS);
  vi.advanceTimersByTime(BURST_MS);
  expect(shown.messages).toHaveLength(3);
});

test("who returns gets at once what was collected", () => {
  window.state.focused = false;
  const sent = notifying();
  endLater(sent, "a", 0);
  endLater(sent, "b", BURST_MS + 1_000);
  window.state.focused = true;
  focusChanges.fire({ focused: true });
  expect(shown.messages).toHaveLength(2);
  endLater(sent, "c", 0);
  vi.advanceTimersByTime(BURST_MS);
  expect(shown.messages).toHaveLength(3);
});

test("a question that was answered meanwhile shows no notification", () => {
  const { changes } = notifying();
  changes.fire(asyncTask("t", { attention: ATTENTION }));
  changes.fire(asyncTask("t"));
  vi.advanceTimersByTime(BURST_MS);
  expect(shown.messages).toEqual([]);
});

test("who works elsewhere is notified of a run that is in view", () => {
  window.state.focused = false;
  end({}, true);
  expect(shown.messages).toHaveLength(1);
});

test("each kind has its own setting", () => {
  shown.settings = { notifyOnEnd: "never", notifyOnQuestion: "unfocused" };
  end({});
  ask({ command: "ls" });
  expect(shown.messages).toEqual([]);
  window.state.focused = false;
  end({});
  ask({ command: "ls" });
  expect(shown.messages).toEqual(["reviewer wants to run in house: ls"]);
});

test("without the focus, the system also notifies of an end and of a question", () => {
  end({});
  expect(outside.texts).toEqual([]);
  window.state.focused = false;
  end({});
  ask({ command: "ls" });
  const answered = { kind: "question" as const, title: "Which branch?" };
  ask(answered);
  expect(outside.texts).toEqual([
    "reviewer: Completed · Review the last commit.",
    "reviewer wants to run in house: ls",
    "reviewer asks: Which branch?",
  ]);
});

test("the system shows a burst as one notification, and kinds that are turned off not at all", () => {
  window.state.focused = false;
  shown.settings = { notifyOnQuestion: "never" };
  const { changes } = notifying();
  for (const id of ["a", "b"]) {
    changes.fire(asyncTask(id));
    changes.fire(asyncTask(id, { status: "completed", endReason: "goal" }));
  }
  changes.fire(asyncTask("c", { attention: ATTENTION }));
  vi.advanceTimersByTime(BURST_MS);
  expect(outside.texts).toEqual(["2 subagents ended"]);
});

test.each([
  ["the setting is off", () => (shown.settings = { systemNotifications: false })],
  ["the editor is in a browser", () => (env.uiKind = UIKind.Web)],
  [
    "the editor of a remote machine is in a browser",
    () => Object.assign(env, { remoteName: "codespaces", uiKind: UIKind.Web }),
  ],
])("the system does not notify when %s", (_, arrange) => {
  window.state.focused = false;
  arrange();
  end({});
  expect([outside.texts, outside.remote, shown.messages.length]).toEqual([[], [], 1]);
});

test("in a remote window, the user's computer shows the notification instead of the remote machine", () => {
  window.state.focused = false;
  env.remoteName = "ssh-remote";
  end({});
  const text = "reviewer: Completed · Review the last commit.";
  expect([outside.remote, outside.texts]).toEqual([[text], []]);
});

test("what hinders the system from notifying is in the log", async () => {
  window.state.focused = false;
  outside.problem = "no bus";
  end({});
  await vi.waitFor(() => {
    expect(outside.log).toEqual(["no notification of the system: no bus"]);
  });
});
