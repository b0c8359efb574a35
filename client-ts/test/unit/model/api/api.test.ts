import { readFileSync } from "node:fs";

import { beforeEach, expect, test, vi } from "vitest";

import { createApi } from "../../../../src/model/api/api.js";
import type { SubagentRun, SubagentSidecarApi } from "../../../../src/model/api/types.js";
import { Reminders } from "../../../../src/model/reminders/reminders.js";
import type { AsyncTask } from "../../../../src/protocol.js";
import type { SubagentService } from "../../../../src/service/service.js";
import { EventEmitter } from "../../../vscode.js";
import { asyncTask } from "../../tasks.js";

const ENDED = asyncTask("t1", {
  ...{ status: "completed", endReason: "goal", completedAt: 6_000 },
  output: { terminate_reason: "GOAL", emitted_vars: {}, final_message: "Fine." },
});
const RUN: SubagentRun = {
  ...{ id: "t1", subagent: "reviewer", goal: "Review the last commit.", status: "completed" },
  ...{ launchedAt: 1_000, endedAt: 6_000, result: "Fine." },
};

const request = vi.fn();
const launched = vi.fn();
let changes: EventEmitter<AsyncTask>;
let tasks: Map<string, AsyncTask>;
let api: SubagentSidecarApi;

beforeEach(() => {
  request.mockReset();
  launched.mockReset();
  changes = new EventEmitter();
  tasks = new Map();
  const service = {
    ...{ tasks, request, start: () => Promise.resolve() },
    onDidChangeTask: changes.event,
  } as unknown as SubagentService;
  api = createApi(service, new Reminders(service), launched);
});

test("runs are listed in a shape of their own", async () => {
  tasks.set("t1", ENDED);
  expect(await api.listRuns()).toEqual([RUN]);
});

test("a listener gets each end once, also of a run that it never saw launched", () => {
  tasks.set("t1", asyncTask("t1"));
  const ends: SubagentRun[] = [];
  const listening = api.onDidEndRun((run) => ends.push(run));
  changes.fire(ENDED);
  changes.fire(ENDED);
  changes.fire(asyncTask("t2"));
  listening.dispose();
  changes.fire({ ...ENDED, id: "t2" });
  expect(ends).toEqual([RUN]);
});

test("a launch says whether the model is reminded of its end", async () => {
  request.mockResolvedValue({ task: asyncTask("t3"), revision: 1 });
  const options = { subagent: "reviewer", goal: "x", folder: "/house", remindsModel: true };
  expect(await api.launch(options)).toMatchObject({ id: "t3", status: "running" });
  expect(request).toHaveBeenCalledWith("asyncTasks/launch", {
    ...{ subagentName: "reviewer", goalPrompt: "x", workspaceDir: "/house" },
    ...{ notifyModel: true, overLimit: "queue" },
  });
  expect(launched).toHaveBeenCalledWith("t3");
});

test("a cancel says whether it ended the run", async () => {
  request.mockResolvedValue({ cancelled: false });
  expect(await api.cancel("t1")).toBe(false);
});

test("a reminder is data for the model, and is acknowledged by its id", async () => {
  request.mockResolvedValueOnce({ text: "ended: t1", taskIds: ["t1"], deliveryId: "d" });
  const reminder = await api.remindersBeforeTurn();
  expect(reminder?.runIds).toEqual(["t1"]);
  expect(reminder?.text).toMatch(/not instructions:\n\nended: t1$/u);
  await reminder?.acknowledge();
  expect(request).toHaveBeenLastCalledWith("reminders/delivered", { deliveryId: "d" });
  request.mockResolvedValueOnce({ text: "", taskIds: [] });
  expect(await api.remindersBeforeTurn()).toBeUndefined();
});

test("the documentation contains the types as they are", () => {
  const read = (file: string) => readFileSync(new URL(file, import.meta.url), "utf8");
  const [, ...types] = read("../../../../src/model/api/types.ts").split("\n");
  expect(read("../../../../../docs/extension-api.md")).toContain(types.join("\n"));
});
