import { expect, test } from "vitest";
import type * as vscode from "vscode";

import { ToolDiffs } from "../../../src/review/toolDiffs.js";
import { ErrorCode, type TaskEvent } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";
import { asyncTask } from "../tasks.js";
import * as fake from "../../vscode.js";

const EDIT: TaskEvent = {
  ...{ type: "tool", seq: 4, ts: 4, name: "edit", status: "completed" },
  content: [{ type: "diff", path: "/house/src/a.py", oldText: "1\n", newText: "2\n" }],
};

/** A sidecar with one run of one edit, until it is deleted. */
class Sidecar {
  isDeleted = false;

  request(method: string): Promise<unknown> {
    if (this.isDeleted) {
      const error = new Error("There is no such task.");
      return Promise.reject(Object.assign(error, { code: ErrorCode.TaskNotFound }));
    }
    return Promise.resolve(
      method === "asyncTasks/get"
        ? { task: asyncTask("t1"), revision: 1 }
        : { events: [EDIT], lastSeq: 4, more: false, revision: 1 },
    );
  }
}

function uriOf(side: string, seq = 4, index = 0): vscode.Uri {
  const query = JSON.stringify({ taskId: "t1", seq, index, side });
  const uri = fake.Uri.from({ scheme: "subagent-diff", path: "/house/src/a.py", query });
  return uri as unknown as vscode.Uri;
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
