import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { AsyncTask, Attention } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";
import { confirm, inform, showError, warn } from "../../../src/questions/notify.js";
import { notifyEnds } from "../../../src/views/endNotices.js";
import { BURST_MS, Notices } from "../../../src/views/notices.js";
import { notifyQuestions } from "../../../src/views/questionNotices.js";
import { EventEmitter, shown, Uri, window, workspace } from "../../vscode.js";
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

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(shown, { messages: [], buttons: [], answers: [], settings: {} });
  workspace.workspaceFolders = undefined;
  window.state.focused = true;
});

afterEach(() => {
  vi.useRealTimers();
});

/** A window's notifications, with what the sidecar tells it. */
function notifying(isShown = false) {
  const changes = new EventEmitter<AsyncTask>();
  const request = vi.fn(() => Promise.resolve({}));
  const service = { onDidChangeTask: changes.event, request } as unknown as SubagentService;
  const reveal = vi.fn(() => Promise.resolve());
  const panel = { shows: () => isShown, reveal };
  const notices = new Notices(panel);
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
    expect(shown.buttons).toEqual([["Reject", "Show"]]);
  },
);

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
