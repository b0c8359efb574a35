// Two windows on one Host.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { Settings, TaskEvent } from "../../src/protocol.js";
import { SidecarService } from "../../src/service/sidecarService.js";
import { Workshop } from "./workshop.js";

const WAIT = { timeout: 20_000, interval: 20 };
let workshop: Workshop;
let windows: SidecarService[];
let refused: string[];

beforeEach(async () => {
  workshop = await Workshop.open({ isShared: true });
  [windows, refused] = [[], []];
});
afterEach(async () => {
  await Promise.all(windows.map((window) => close(window)));
  await workshop.close();
});

/** Open a window whose user has these settings besides the runners. */
async function open(more: Settings = {}): Promise<SidecarService> {
  const { command, initialize } = workshop.options;
  const window = new SidecarService({
    prepare: () => Promise.resolve(() => command),
    initialize: () => ({ ...initialize(), settings: { ...initialize().settings, ...more } }),
    log: (level, message) => workshop.log.push(`${level}: ${message}`),
    isTrusted: () => true,
    settingsRefused: (error) => refused.push(error.message),
  });
  windows.push(window);
  await window.start();
  return window;
}

async function close(window: SidecarService): Promise<void> {
  await window.stop();
  window.dispose();
}

async function launch(window: SidecarService, subagentName: string): Promise<string> {
  const params = { subagentName, goalPrompt: `Be a ${subagentName}.` };
  return (await window.request("asyncTasks/launch", params)).task.id;
}

async function maximum(window: SidecarService): Promise<number> {
  return (await window.request("asyncTasks/list", { limit: 1 })).max;
}

test("a run outlives its window, and the next window follows it from where the last one was", async () => {
  const one = await open();
  const taskId = await launch(one, "lingerer");
  const before: TaskEvent[] = [];
  one.follow(taskId, 0, (more) => before.push(...more));
  await vi.waitUntil(() => before.some(({ type }) => type === "emit"), WAIT);
  await close(one);
  const two = await open();
  expect(two.tasks.get(taskId)?.status).toBe("running");
  const after: TaskEvent[] = [];
  two.follow(taskId, before.at(-1)?.seq ?? 0, (more) => after.push(...more));
  await two.request("asyncTasks/cancel", { taskId });
  await vi.waitUntil(() => after.some((event) => "endReason" in event), WAIT);
  const seqs = [...before, ...after].map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
});

test("another window sees and cancels a run, and no window is view-only", async () => {
  const [one, two] = [await open(), await open()];
  expect([one.state.message, two.state.message]).toEqual([undefined, undefined]);
  const taskId = await launch(one, "lingerer");
  await vi.waitUntil(() => two.tasks.get(taskId)?.status === "running", WAIT);
  await two.request("asyncTasks/cancel", { taskId });
  await vi.waitUntil(() => one.tasks.get(taskId)?.status === "cancelled", WAIT);
  expect((await one.request("health", {})).clients).toBe(2);
});

test("the newest window's shared settings win, and others hear of them without an echo", async () => {
  const one = await open({ asyncTasks: { max: 2 } });
  expect(await maximum(one)).toBe(2);
  const heard = vi.fn();
  one.onDidChangeSettings(heard);
  const two = await open({ asyncTasks: { max: 7 } });
  const echo = vi.fn();
  two.onDidChangeSettings(echo);
  await vi.waitUntil(() => heard.mock.calls.length > 0, WAIT);
  expect([await maximum(one), await maximum(two)]).toEqual([7, 7]);
  expect([heard.mock.calls.length, echo.mock.calls.length]).toEqual([1, 0]);
});

test("a shared setting of the wrong type is named", async () => {
  const opening = open({ host: { surviveMinutes: "long" as unknown as number } });
  await expect(opening).rejects.toThrow("setting host.surviveMinutes: expected number, got string");
  expect(refused).toEqual([]);
});
