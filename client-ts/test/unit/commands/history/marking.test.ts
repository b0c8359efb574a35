import { beforeEach, expect, test } from "vitest";

import { markingCommands } from "../../../../src/commands/history/marking.js";
import type { SubagentService } from "../../../../src/service/service.js";
import { pageIdOf } from "../../../../src/storedRef.js";
import type { TaskRef } from "../../../../src/taskRef.js";
import { shown } from "../../../vscode.js";

/** The command that pins a task, with a conversation in front, and what it has pinned. */
function pinning(front: string | undefined) {
  const pinned: TaskRef[] = [];
  const service = {
    info: { storageRoot: "/own" },
    start: () => Promise.resolve(),
  } as unknown as SubagentService;
  const marks = {
    marks: new Map(),
    of: () => ({}),
    change: (tasks: readonly TaskRef[]) => {
      pinned.push(...tasks);
      return Promise.resolve();
    },
  };
  const commands = markingCommands({ service, marks, front: () => front });
  return { pin: commands["subagentSidecar.task.pin"], pinned };
}

beforeEach(() => {
  shown.messages = [];
  shown.answers = [];
});

test.each([
  ["a run", "t1", { id: "t1", root: "/own" }],
  ["a stored task", pageIdOf({ id: "s1", root: "/other" }), { id: "s1", root: "/other" }],
])("from the palette, the conversation of %s in front is pinned", async (_, front, task) => {
  const { pin, pinned } = pinning(front);
  await pin();
  expect(pinned).toEqual([task]);
});

test("a row that was chosen is pinned, whatever is in front", async () => {
  const { pin, pinned } = pinning("t1");
  await pin({ id: "t2" });
  expect(pinned).toEqual([{ id: "t2", root: "/own" }]);
});
