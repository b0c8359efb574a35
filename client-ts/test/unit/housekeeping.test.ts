import { beforeEach, expect, test } from "vitest";

import { archiveTask, deleteTask, restoreTask } from "../../src/commands/housekeeping.js";
import type { PutAwayTask } from "../../src/protocol.js";
import type { SubagentService } from "../../src/service.js";
import { shown } from "../vscode.js";
import { storedTask } from "./tasks.js";

/** A sidecar with one task; `failure` is what it says of moving it. */
function sidecarWith(away: PutAwayTask[] = [], failure?: string) {
  const moved: string[] = [];
  const service = {
    request: (method: string) => {
      if (method === "tasks/get") {
        return Promise.resolve({ task: storedTask("t1"), provenance: {}, revision: 1 });
      }
      if (method === "tasks/putAway") {
        return Promise.resolve({ items: away, total: away.length, revision: 1 });
      }
      moved.push(method);
      const failed = failure === undefined ? [] : [{ id: "t1", code: -32017, message: failure }];
      return Promise.resolve({ done: [], failed });
    },
  } as unknown as SubagentService;
  return { moved, service };
}

beforeEach(() => {
  shown.messages = [];
  shown.answers = [];
});

test("a task is deleted only when the user agrees", async () => {
  const { moved, service } = sidecarWith();
  await deleteTask(service, "t1");
  expect(moved).toEqual([]);
  expect(shown.messages).toEqual(["Delete the task “Mend the roof”?"]);
});

test("a deletion can be undone", async () => {
  const { moved, service } = sidecarWith();
  shown.answers = ["Move to Trash", "Undo"];
  await deleteTask(service, "t1");
  expect(moved).toEqual(["tasks/delete", "tasks/restore"]);
});

test("why a task was not moved is told", async () => {
  const { service } = sidecarWith([], "t1 is running; cancel it first");
  await expect(archiveTask(service, "t1")).rejects.toThrow("cancel it first");
  expect(shown.messages).toEqual([]);
});

test("a task is restored by its title, and an empty trash is said", async () => {
  const away = { id: "t9", title: "Paint the door", shelf: "trash", at: 0 } as const;
  const { moved, service } = sidecarWith([away]);
  shown.answers = ["Paint the door"];
  await restoreTask(service);
  expect(moved).toEqual(["tasks/restore"]);
  await restoreTask(sidecarWith().service);
  expect(shown.messages).toEqual(["No task is in the archive or in the trash."]);
});
