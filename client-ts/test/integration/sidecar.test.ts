// The client on the real sidecar: python -m sidecar serve.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { isRefusal } from "../../src/util/errors.js";
import { type AsyncTask, ErrorCode, PROTOCOL_VERSION, type TaskEvent } from "../../src/protocol.js";
import { alive, Workshop } from "./workshop.js";

const WAIT = { timeout: 20_000, interval: 20 };
let workshop: Workshop;

beforeEach(async () => {
  workshop = await Workshop.open();
});
afterEach(() => workshop.close());

/** Collect a run's events from `afterSeq` on, as they arrive. */
async function follow(taskId: string, afterSeq: number, into: TaskEvent[]): Promise<void> {
  workshop.client.onNotification("asyncTasks/didOutput", (output) => {
    if (output.taskId === taskId) {
      into.push(...output.events);
    }
  });
  await workshop.client.request("asyncTasks/subscribe", { taskId, afterSeq });
}

function ended(events: TaskEvent[]): boolean {
  return events.some((event) => event.type === "state" && event.endReason !== undefined);
}

async function lingererPid(task: AsyncTask): Promise<number> {
  const events: TaskEvent[] = [];
  await follow(task.id, 0, events);
  return vi.waitUntil(() => {
    const emitted = events.find((event) => event.type === "emit");
    return typeof emitted?.value === "number" ? emitted.value : undefined;
  }, WAIT);
}

async function listedIds(): Promise<string[]> {
  const { items } = await workshop.client.request("tasks/list", { roots: [workshop.foreignRoot] });
  return items.map((item) => item.id).sort();
}

test("the handshake names the version, the storage and the methods", async () => {
  const info = await workshop.client.start();
  expect(info.protocolVersion).toBe(PROTOCOL_VERSION);
  expect(info.storageRoot).toBe(workshop.storageRoot);
  expect(info.methods).toEqual(expect.arrayContaining(["tasks/list", "asyncTasks/launch"]));
  expect(info.runners.map((runner) => runner.name)).toContain("counter");
});

test("stored tasks are listed with what their files say", async () => {
  await workshop.writeTask("1700000000001", "Mend the roof");
  await workshop.writeTask("1700000000002", "Paint the door");
  await workshop.client.start();
  const params = { roots: [workshop.foreignRoot], filter: "roof" };
  const { items, matched } = await workshop.client.request("tasks/list", params);
  expect(matched).toBe(1);
  expect(items[0]).toMatchObject({ id: "1700000000001", title: "Mend the roof" });
});

test("a run's output comes in order, without gaps, to its result", async () => {
  await workshop.client.start();
  const task = await workshop.launch("counter");
  const events: TaskEvent[] = [];
  await follow(task.id, 0, events);
  await vi.waitUntil(() => ended(events), WAIT);
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  const words = events.flatMap((event) => (event.type === "message" ? event.text.split(",") : []));
  expect(words.filter((word) => word !== "")).toEqual([...Array(200).keys()].map(String));
  const { task: done } = await workshop.client.request("asyncTasks/get", { taskId: task.id });
  expect(done).toMatchObject({ status: "completed", endReason: "goal" });
  expect(done.output?.final_message).toBe("counted");
});

test("a cancelled run ends at once, and is reported as changed", async () => {
  await workshop.client.start();
  const changes: string[] = [];
  workshop.client.onNotification("asyncTasks/didChange", ({ task }) => changes.push(task.status));
  const task = await workshop.launch("lingerer");
  const pid = await lingererPid(task);
  const answer = await workshop.client.request("asyncTasks/cancel", { taskId: task.id });
  expect(answer).toMatchObject({ cancelled: true, task: { status: "cancelled" } });
  expect(answer.task.endReason).toBe("cancelledByUser");
  await vi.waitUntil(() => changes.includes("cancelled") && !alive(pid), WAIT);
});

test("an unknown subagent is refused with those that there are", async () => {
  await workshop.client.start();
  const error: unknown = await workshop.launch("nobody").catch((reason: unknown) => reason);
  expect(isRefusal(error, ErrorCode.SubagentNotFound)).toBe(true);
  expect(error).toMatchObject({
    data: { available: expect.arrayContaining(["counter", "lingerer"]) as string[] },
  });
});

test("a killed sidecar comes back with its lists, and its events continue where they stopped", async () => {
  await workshop.writeTask("1700000000001", "Mend the roof");
  const before = await workshop.client.start();
  const ids = await listedIds();
  const task = await workshop.launch("lingerer");
  const runPid = await lingererPid(task);
  const { lastSeq, events: old } = await workshop.client.request("asyncTasks/events", {
    taskId: task.id,
  });

  const restarted = new Promise((resolve) => workshop.client.onRestarted(resolve));
  process.kill(workshop.client.pid ?? 0, "SIGKILL");
  expect(await restarted).not.toMatchObject({ instanceId: before.instanceId });

  expect(await listedIds()).toEqual(ids);
  const { items } = await workshop.client.request("asyncTasks/list", {});
  expect(items[0]).toMatchObject({ id: task.id, status: "failed", endReason: "lost" });
  expect(alive(runPid)).toBe(false);
  const later: TaskEvent[] = [];
  await follow(task.id, lastSeq, later);
  await vi.waitUntil(() => ended(later), WAIT);
  const seqs = [...old, ...later].map((event) => event.seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
});

test("stop leaves no process of the sidecar or its runs", async () => {
  await workshop.client.start();
  const runPid = await lingererPid(await workshop.launch("lingerer"));
  const pid = workshop.client.pid ?? 0;
  expect([alive(pid), alive(runPid)]).toEqual([true, true]);
  await workshop.client.stop();
  expect([alive(pid), alive(runPid)]).toEqual([false, false]);
});
