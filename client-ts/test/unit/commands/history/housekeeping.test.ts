import { beforeEach, expect, test, vi } from "vitest";
import { window } from "vscode";

import {
  archiveTasks,
  deleteTasks,
  restoreTask,
} from "../../../../src/commands/history/housekeeping.js";
import type { RemovedTask, TaskIdsParams } from "../../../../src/protocol.js";
import type { SubagentService } from "../../../../src/service/service.js";
import { shown } from "../../../vscode.js";

const ROOF = { id: "t1", title: "Mend the roof" };
const DOOR = { id: "t2", title: "Paint the door" };

/** A sidecar that moves tasks; `failures` is what it says of those that it leaves. */
function sidecarWith(away: RemovedTask[] = [], failures: Record<string, string> = {}) {
  const moved: [string, ...string[]][] = [];
  const service = {
    info: { storageRoot: "/own" },
    request: (method: string, params: object) => {
      if (method === "tasks/listRemoved") {
        return Promise.resolve({ items: away, total: away.length, revision: 1 });
      }
      const { taskIds } = params as TaskIdsParams;
      moved.push([method, ...taskIds]);
      const left = taskIds.filter((id) => id in failures);
      const failed = left.map((id) => ({ id, code: -32017, message: failures[id] }));
      return Promise.resolve({ done: taskIds.filter((id) => !left.includes(id)), failed });
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
  await deleteTasks(service, [ROOF]);
  expect(moved).toEqual([]);
  expect(shown.messages).toEqual(["Delete the task “Mend the roof”?"]);
});

test("several tasks are deleted after one question, and all come back", async () => {
  const { moved, service } = sidecarWith();
  shown.answers = ["Move to Trash", "Undo"];
  await deleteTasks(service, [ROOF, DOOR]);
  expect(shown.messages).toEqual(["Delete 2 tasks?", "Deleted 2 tasks."]);
  await vi.waitFor(() => {
    expect(moved).toEqual([
      ["tasks/delete", "t1", "t2"],
      ["tasks/restore", "t1", "t2"],
    ]);
  });
});

test("a task of another root is left, though the own root may hold its id too", async () => {
  const { moved, service } = sidecarWith();
  shown.answers = ["Move to Trash"];
  await deleteTasks(service, [
    { ...ROOF, root: "/own" },
    { ...DOOR, root: "/other" },
  ]);
  expect(moved).toEqual([["tasks/delete", "t1"]]);
  expect(shown.messages).toEqual([
    "Delete the task “Mend the roof”?",
    "Deleted “Mend the roof”. Not deleted: “Paint the door”: it belongs to another extension",
  ]);
  await expect(archiveTasks(service, [{ ...DOOR, root: "/other" }])).rejects.toThrow(
    "“Paint the door”: it belongs to another extension",
  );
  expect(moved).toHaveLength(1);
});

test("each task that was left is named with the reason, and only the others come back", async () => {
  const { moved, service } = sidecarWith([], { t2: "t2 is running; cancel it first" });
  shown.answers = ["Undo"];
  await archiveTasks(service, [ROOF, DOOR]);
  const notice =
    "Archived “Mend the roof”. Not archived: “Paint the door”: it is running; cancel it first";
  expect(shown.messages).toEqual([notice]);
  await vi.waitFor(() => {
    expect(moved.at(-1)).toEqual(["tasks/restore", "t1"]);
  });
});

test("when none was moved only the reasons are shown", async () => {
  const { service } = sidecarWith([], { t1: "cancel it first", t2: "it is read-only" });
  await expect(archiveTasks(service, [ROOF, DOOR])).rejects.toThrow(
    "“Mend the roof”: cancel it first; “Paint the door”: it is read-only",
  );
  expect(shown.messages).toEqual([]);
});

test("a task is restored by its title, and an empty trash is reported", async () => {
  const away = { id: "t9", title: "Paint the door", shelf: "trash", at: 0 } as const;
  const { moved, service } = sidecarWith([away]);
  shown.answers = ["Paint the door"];
  await restoreTask(service);
  expect(moved).toEqual([["tasks/restore", "t9"]]);
  await restoreTask(sidecarWith().service);
  expect(shown.messages).toEqual(["The archive and the trash are empty."]);
});

test("a task that cannot be restored is named", async () => {
  const away = { id: "t9", title: "Paint the door", shelf: "archive", at: 0 } as const;
  shown.answers = ["Paint the door"];
  await expect(restoreTask(sidecarWith([away], { t9: "it is gone" }).service)).rejects.toThrow(
    "“Paint the door”: it is gone",
  );
});

test("a deletion has ended when the tasks are gone, and not when its message is closed", async () => {
  const { moved, service } = sidecarWith();
  vi.spyOn(window, "showInformationMessage").mockReturnValue(new Promise(() => undefined));
  await archiveTasks(service, [ROOF]);
  expect(moved).toEqual([["tasks/archive", "t1"]]);
}, 2_000);
