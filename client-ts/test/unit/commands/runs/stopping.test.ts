import { beforeEach, expect, test, vi } from "vitest";

import { stoppingCommands } from "../../../../src/commands/runs/stopping.js";
import type { AsyncTask } from "../../../../src/protocol.js";
import type { SubagentService } from "../../../../src/service/service.js";
import { shown, Uri, workspace } from "../../../vscode.js";
import { asyncTask } from "../../tasks.js";

const FOREIGN = { owner: { client: "vscode", workspaceDir: "/elsewhere" } };
const request = vi.fn(() => Promise.resolve({ cancelled: 2 }));

beforeEach(() => {
  Object.assign(shown, { messages: [], answers: [], rows: undefined });
  workspace.workspaceFolders = [{ uri: Uri.file("/house") }];
  request.mockClear();
});

function commands(...tasks: AsyncTask[]) {
  const start = (): Promise<void> => Promise.resolve();
  const service = { start, request, tasks: new Map(tasks.map((task) => [task.id, task])) };
  return stoppingCommands({ service: service as unknown as SubagentService });
}

test("Cancel All asks whether it means this workspace or all", async () => {
  const { "subagentSidecar.subagent.stopAll": stopAll } = commands(
    asyncTask("a"),
    asyncTask("b", FOREIGN),
    asyncTask("c", { status: "completed" }),
  );
  const own = "Cancel 1 subagent of this workspace";
  shown.answers = [own];
  await stopAll();
  expect(shown.rows).toEqual([own, "Cancel all 2 subagents of all windows and terminals"]);
  expect(request).toHaveBeenCalledWith("asyncTasks/cancelAll", { scope: "own" });
  expect(shown.messages).toEqual(["Cancelled 2 subagents."]);
});

test("Cancel All offers no empty choice, and does nothing without one", async () => {
  const stopAll = commands(asyncTask("b", FOREIGN))["subagentSidecar.subagent.stopAll"];
  await stopAll();
  expect(shown.rows).toEqual(["Cancel all 1 subagent of all windows and terminals"]);
  expect(request).not.toHaveBeenCalled();
  await commands()["subagentSidecar.subagent.stopAll"]();
  expect(shown.messages).toEqual(["No subagent is running."]);
});

test("Start Now starts the named or the chosen queued run", async () => {
  const queued = asyncTask("q", { status: "queued", goalPrompt: "Wait" });
  const startNow = commands(asyncTask("a"), queued)["subagentSidecar.subagent.startNow"];
  await startNow("named");
  shown.answers = ["Wait"];
  await startNow();
  const ids = ["named", "q"].map((taskId) => ["asyncTasks/startNow", { taskId }]);
  expect(request.mock.calls).toEqual(ids);
  await commands(asyncTask("a"))["subagentSidecar.subagent.startNow"]();
  expect(shown.messages).toEqual(["No subagent is queued."]);
});
