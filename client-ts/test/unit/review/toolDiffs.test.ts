import { expect, test, vi } from "vitest";
import type * as vscode from "vscode";

import { showInputBox } from "../../../src/questions/quickInput.js";
import { ToolDiffs } from "../../../src/review/toolDiffs.js";
import { type AsyncTask, ErrorCode, type TaskEvent } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";
import { asyncTask } from "../tasks.js";
import * as fake from "../../vscode.js";

const EDIT: TaskEvent = {
  ...{ type: "tool", seq: 4, ts: 4, name: "edit", status: "completed" },
  content: [{ type: "diff", path: "/house/src/a.py", oldText: "1\n", newText: "2\n" }],
};

function edit(seq: number, path: string, oldText: string, newText: string): TaskEvent {
  return { ...EDIT, seq, content: [{ type: "diff", path, oldText, newText }] } as TaskEvent;
}

/** A sidecar with one run of edits, until it is deleted. */
class Sidecar {
  isDeleted = false;
  status: AsyncTask["status"] = "completed";
  events: TaskEvent[] = [EDIT];
  follower: ((events: TaskEvent[]) => void) | undefined;
  readonly changes = new fake.EventEmitter<AsyncTask>();
  readonly onDidChangeTask = this.changes.event;

  request(method: string, { afterSeq = 0, limit = 9 }): Promise<unknown> {
    if (this.isDeleted) {
      const error = new Error("There is no such task.");
      return Promise.reject(Object.assign(error, { code: ErrorCode.TaskNotFound }));
    }
    const events = this.events.filter(({ seq }) => seq > afterSeq).slice(0, limit);
    return Promise.resolve(
      method === "asyncTasks/get"
        ? { task: asyncTask("t1", { status: this.status }), revision: 1 }
        : { events, lastSeq: 9, more: false, revision: 1 },
    );
  }

  follow(_: string, __: number, onEvents: (events: TaskEvent[]) => void) {
    this.follower = onEvents;
    return { dispose: () => (this.follower = undefined) };
  }

  /** Let the agent of the run do something. */
  act(...events: TaskEvent[]): void {
    this.events.push(...events);
    this.follower?.(events);
  }
}

function uriOf(side: string, seq = 4, index = 0, more = {}): vscode.Uri {
  const query = JSON.stringify({ taskId: "t1", seq, index, side, ...more });
  const uri = fake.Uri.from({ scheme: "subagent-diff", path: "/house/src/a.py", query });
  return uri as unknown as vscode.Uri;
}

/** The files that the editor with all changes was opened with, each time. */
function reviewed(): string[][] {
  return fake.ran
    .filter(([id]) => id === "vscode.changes" || id === "_workbench.openMultiDiffEditor")
    .map(([, ...args]) => {
      const [, rows] = args as [unknown, [fake.Uri][]?];
      const [{ resources = [] }] = args as [{ resources?: { modifiedUri: fake.Uri }[] }];
      return rows === undefined
        ? resources.map(({ modifiedUri }) => modifiedUri.path)
        : rows.map(([uri]) => uri.path);
    });
}

function reviewing(sidecar: Sidecar): ToolDiffs {
  fake.ran.length = 0;
  const group = new fake.TabGroup();
  fake.tabGroups.activeTabGroup = group;
  vi.spyOn(fake.commands, "executeCommand").mockImplementation((...command: unknown[]) => {
    fake.ran.push(command);
    const [, first] = command as [unknown, string | { title: string }];
    group.add(typeof first === "string" ? first : first.title);
    return Promise.resolve();
  });
  return new ToolDiffs(sidecar as unknown as SubagentService);
}

test("the text of a change comes with its path in the folder of the run", async () => {
  const diffs = new ToolDiffs(new Sidecar() as unknown as SubagentService);
  expect(await diffs.at(uriOf("before"))).toEqual({
    path: "src/a.py",
    side: "before",
    text: "1\n",
  });
  expect(await diffs.at(uriOf("after"))).toEqual({ path: "src/a.py", side: "after", text: "2\n" });
  expect(await diffs.isGone("t1")).toBe(false);
});

test("a change of a deleted run, or one that it no longer has, leaves path and side", async () => {
  const sidecar = new Sidecar();
  const diffs = new ToolDiffs(sidecar as unknown as SubagentService);
  const lost = await diffs.at(uriOf("after", 4, 7));
  expect(lost).toEqual({ path: "src/a.py", side: "after", text: undefined });
  sidecar.isDeleted = true;
  const gone = await diffs.at(uriOf("after"));
  expect(gone).toEqual({ path: "/house/src/a.py", side: "after", text: undefined });
  expect(await diffs.isGone("t1")).toBe(true);
});

test("the text of a change follows the run while it works", async () => {
  const sidecar = new Sidecar();
  sidecar.status = "running";
  const diffs = reviewing(sidecar);
  const [before, after] = [
    uriOf("before", 4, 0, { grows: true }),
    uriOf("after", 4, 0, { grows: true }),
  ];
  const fired: string[] = [];
  diffs.onDidChange((uri) => fired.push(uri.toString()));
  await diffs.provideTextDocumentContent(before);
  expect(await diffs.provideTextDocumentContent(after)).toBe("2\n");
  sidecar.act(edit(5, "/house/src/a.py", "2\n", "3\n"));
  expect(fired).toContain(after.toString());
  expect(await diffs.provideTextDocumentContent(after)).toBe("3\n");
  expect(await diffs.provideTextDocumentContent(before)).toBe("1\n");
  expect(await diffs.provideTextDocumentContent(uriOf("after"))).toBe("2\n");
});

test("new files join the editor with all changes while it is in front", async () => {
  const sidecar = new Sidecar();
  sidecar.status = "running";
  const diffs = reviewing(sidecar);
  await diffs.openAll("t1");
  sidecar.act(edit(5, "/house/b.py", "", "b"));
  await vi.waitFor(() => {
    expect(reviewed()).toEqual([["/house/src/a.py"], ["/house/b.py", "/house/src/a.py"]]);
  });
  await vi.waitFor(() => {
    expect(fake.tabGroups.activeTabGroup.tabs).toHaveLength(1);
  });
});

test("an editor with changes takes no focus: new files join it once it has the focus", async () => {
  const sidecar = new Sidecar();
  sidecar.status = "running";
  const diffs = reviewing(sidecar);
  await diffs.openAll("t1");
  fake.tabGroups.activeTabGroup.isActive = false;
  sidecar.act(edit(5, "/house/b.py", "", "b"));
  await Promise.resolve();
  expect(reviewed()).toHaveLength(1);
  fake.tabGroups.activeTabGroup.isActive = true;
  fake.tabChanges.fire({});
  await vi.waitFor(() => {
    expect(reviewed()).toHaveLength(2);
  });
});

test("an editor with changes closes no quick input: new files join it afterwards", async () => {
  const sidecar = new Sidecar();
  sidecar.status = "running";
  const diffs = reviewing(sidecar);
  await diffs.openAll("t1");
  let answer: (text: string | undefined) => void = () => undefined;
  vi.spyOn(fake.window, "showInputBox").mockReturnValue(
    new Promise((resolve) => {
      answer = resolve;
    }),
  );
  const asked = showInputBox();
  sidecar.act(edit(5, "/house/b.py", "", "b"));
  fake.tabChanges.fire({});
  await new Promise(setImmediate);
  expect(reviewed()).toHaveLength(1);
  answer("text");
  expect(await asked).toBe("text");
  await vi.waitFor(() => {
    expect(reviewed()).toHaveLength(2);
  });
});

test("a comment that is being written keeps the editor as it is", async () => {
  const sidecar = new Sidecar();
  sidecar.status = "running";
  const diffs = reviewing(sidecar);
  await diffs.openAll("t1");
  const comment = fake.Uri.from({ scheme: "comment", path: "/1" });
  fake.workspace.textDocuments = [new fake.Document(comment, "Why")];
  sidecar.act(edit(5, "/house/b.py", "", "b"));
  fake.tabChanges.fire({});
  await Promise.resolve();
  expect(reviewed()).toHaveLength(1);
  fake.workspace.textDocuments = [];
});
