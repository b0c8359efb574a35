import { beforeEach, expect, test, vi } from "vitest";

import type { AsyncTask, Attention } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";
import { confirm, inform, showError, warn } from "../../../src/questions/notify.js";
import { notifyEnds } from "../../../src/views/endNotices.js";
import { notifyQuestions } from "../../../src/views/questionNotices.js";
import { EventEmitter, shown, Uri, workspace } from "../../vscode.js";
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
  Object.assign(shown, { messages: [], buttons: [], answers: [] });
  workspace.workspaceFolders = undefined;
});

/** Let a run ask while the panel is hidden; tells what was requested of the sidecar. */
function ask(attention: Partial<Attention>, more: Partial<AsyncTask> = {}) {
  const changes = new EventEmitter<AsyncTask>();
  const request = vi.fn(() => Promise.resolve({}));
  const service = { onDidChangeTask: changes.event, request } as unknown as SubagentService;
  const reveal = vi.fn(() => Promise.resolve());
  notifyQuestions(service, { visible: false, reveal });
  changes.fire(asyncTask("t", { attention: { ...ATTENTION, ...attention }, ...more }));
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
function end(task: Partial<AsyncTask>, panel = { visible: false }): ReturnType<typeof vi.fn> {
  const changes = new EventEmitter<AsyncTask>();
  const service = { onDidChangeTask: changes.event } as unknown as SubagentService;
  const reveal = vi.fn(() => Promise.resolve());
  notifyEnds(service, { ...panel, reveal });
  changes.fire(asyncTask("t"));
  changes.fire(asyncTask("t", { status: "completed", endReason: "goal", ...task }));
  changes.fire(asyncTask("t", { status: "completed", endReason: "goal", ...task }));
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
  end({}, { visible: true });
  expect(shown.messages).toEqual([]);
});
