// The window's service on the real sidecar.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { TaskEvent } from "../../src/protocol.js";
import type { ServiceState } from "../../src/service/service.js";
import { SidecarClient } from "../../src/client/sidecarClient.js";
import { SidecarService } from "../../src/service/sidecarService.js";
import { Workshop } from "./workshop.js";

const WAIT = { timeout: 20_000, interval: 20 };
let workshop: Workshop;
let service: SidecarService;
let prepared: number;
let failure: Error | undefined;
let trusted: boolean;
let refused: string[];

beforeEach(async () => {
  workshop = await Workshop.open();
  [prepared, failure, trusted, refused] = [0, undefined, true, []];
  const { command, initialize } = workshop.options;
  service = new SidecarService({
    prepare: (report) => {
      prepared += 1;
      report("setting up");
      return failure === undefined ? Promise.resolve(() => command) : Promise.reject(failure);
    },
    initialize: () => ({ ...initialize(), workspaceTrusted: trusted }),
    log: (level, message) => workshop.log.push(`${level}: ${message}`),
    isTrusted: () => trusted,
    settingsRefused: (error) => refused.push(error.message),
  });
});
afterEach(async () => {
  await service.stop();
  service.dispose();
  await workshop.close();
});

async function launch(subagentName: string): Promise<string> {
  const params = { subagentName, goalPrompt: `Be a ${subagentName}.` };
  return (await service.request("asyncTasks/launch", params)).task.id;
}

function killSidecar(): void {
  process.kill(service.pid ?? 0, "SIGKILL");
}

function untilRunning(): Promise<unknown> {
  return vi.waitUntil(() => service.state.kind === "running", WAIT);
}

test("the first request sets up and starts, and whoever asks meanwhile shares that", async () => {
  const states: ServiceState["kind"][] = [];
  service.onDidChangeState((state) => states.push(state.kind));
  await Promise.all([service.request("health", {}), service.start(), service.start()]);
  expect(prepared).toBe(1);
  expect(states).toEqual(["settingUp", "starting", "running"]);
});

test("a failed setup is reported in its own words, and the next start tries again", async () => {
  failure = new Error("No Python was found.");
  await expect(service.start()).rejects.toThrow("No Python was found.");
  expect(service.state).toEqual({ kind: "failed", message: "No Python was found." });
  await expect(service.request("health", {})).rejects.toThrow("No Python was found.");
  failure = undefined;
  await service.start();
  expect(service.state.kind).toBe("running");
});

test("a run is followed over a crash of the sidecar, each event once", async () => {
  await service.start();
  const taskId = await launch("counter");
  const events: TaskEvent[] = [];
  service.follow(taskId, 0, (more) => events.push(...more));
  await vi.waitUntil(() => events.length > 5, WAIT);
  killSidecar();
  await vi.waitUntil(() => events.some((event) => "endReason" in event), WAIT);
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
});

test("after a crash the tasks are read again, with what was lost", async () => {
  await service.start();
  const taskId = await launch("lingerer");
  await vi.waitUntil(() => service.tasks.get(taskId)?.status === "running", WAIT);
  const restarted = new Promise<void>((resolve) => service.onDidRestart(resolve));
  killSidecar();
  await restarted;
  expect(service.tasks.get(taskId)).toMatchObject({ status: "failed", endReason: "lost" });
});

test("several restarts asked for at once are two at most", async () => {
  await service.start();
  const restarts = vi.fn();
  service.onDidRestart(restarts);
  await Promise.all([service.restart(), service.restart(), service.restart(), service.restart()]);
  expect(restarts.mock.calls.length).toBeLessThanOrEqual(2);
  await untilRunning();
});

test("a restart passes through no state from which a view would start it", async () => {
  await service.start();
  const states: string[] = [];
  service.onDidChangeState((state) => states.push(state.kind));
  await service.restart();
  expect(states).not.toContain("idle");
  expect(states.at(-1)).toBe("running");
});

test("without trust it reads and does not launch, until trust is granted", async () => {
  trusted = false;
  await service.start();
  expect(service.state.kind).toBe("untrusted");
  await expect(launch("counter")).rejects.toThrow(/not trusted/);
  trusted = true;
  await service.grantTrust();
  expect(service.state.kind).toBe("running");
  await launch("counter");
});

test("storage in use is read, and taken over when its owner is gone", async () => {
  const owner = new SidecarClient(workshop.options);
  await owner.start();
  await service.start();
  expect(service.state.message).toMatch(/Another program .* is using this storage/);
  await owner.stop();
  await vi.waitUntil(() => service.state.message === undefined, WAIT);
  await untilRunning();
  await launch("counter");
});
