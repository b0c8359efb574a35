// Turns and reminders on the real sidecar, with a user who decides at once.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Reminders } from "../../src/model/reminders/reminders.js";
import { type Decision, Turns } from "../../src/model/reminders/turns.js";
import { SidecarService } from "../../src/service/sidecarService.js";
import { Workshop } from "./workshop.js";

const WAIT = { timeout: 20_000, interval: 20 };
let workshop: Workshop;
let service: SidecarService;
let reminders: Reminders;
let decision: Decision;
let offers: string[][];
let chats: string[];

beforeEach(async () => {
  workshop = await Workshop.open();
  [decision, offers, chats] = ["continue", [], []];
  const { command, initialize } = workshop.options;
  service = new SidecarService({
    prepare: () => Promise.resolve(() => command),
    initialize,
    log: (level, message) => workshop.log.push(`${level}: ${message}`),
    isTrusted: () => true,
    settingsRefused: () => undefined,
    turnRequested: (turn, token) => turns.request(turn, token),
  });
  reminders = new Reminders(service);
  const turns = new Turns({
    reminders,
    isWanted: () => true,
    taskOf: (id) => service.tasks.get(id),
    isOwn: () => true,
    offer: (ended) => {
      offers.push(ended.map(({ id }) => id));
      return Promise.resolve(decision);
    },
    openChat: (text) => Promise.resolve(void chats.push(text)),
    turnOff: () => Promise.resolve(),
    failed: (error) => workshop.log.push(String(error)),
  });
});
afterEach(async () => {
  await service.stop();
  service.dispose();
  await workshop.close();
});

/** Launch a run as a model does, and wait for its end; returns its id. */
async function runToEnd(): Promise<string> {
  const call = { subagent_name: "counter", goal_prompt: "Count.", async: true };
  const { metadata } = await service.request("tools/call", { name: "task", arguments: call });
  const id = metadata?.["agentId"] as string;
  await vi.waitUntil(() => service.tasks.get(id)?.status === "completed", WAIT);
  return id;
}

async function stateOf(id: string): Promise<string | undefined> {
  const { items } = await service.request("reminders/outbox", {});
  return items.find(({ taskId }) => taskId === id)?.state;
}

test("an end that the user takes to the chat is delivered", async () => {
  const id = await runToEnd();
  await vi.waitUntil(async () => (await stateOf(id)) === "delivered", WAIT);
  expect(offers).toEqual([[id]]);
  expect(chats.join()).toContain(id);
  expect(await reminders.pending()).toBeUndefined();
});

test("an end that the user dismisses rides on the next result, and is delivered by the one after", async () => {
  decision = "dismissed";
  const id = await runToEnd();
  await vi.waitUntil(() => offers.length === 1, WAIT);
  await vi.waitUntil(async () => (await stateOf(id)) === "pending", WAIT);
  const ridden = await reminders.ride(async (take) => {
    const carried = await take(1); // As short as it gets.
    return { result: carried, carried };
  });
  expect(ridden).toMatchObject({ taskIds: [id] });
  expect(await stateOf(id)).toBe("pending");
  await reminders.callBegins();
  expect(await stateOf(id)).toBe("delivered");
  expect(offers).toHaveLength(1);
});
