import { EventEmitter } from "vscode";
import { expect, test } from "vitest";

import { OfferFeed } from "../../../src/offers/offerFeed.js";
import type { Offers } from "../../../src/offers/offers.js";
import type { AsyncTask, RunnerInfo } from "../../../src/protocol.js";
import type { ServiceState, SubagentService } from "../../../src/service/service.js";
import { asyncTask } from "../tasks.js";

const CHOICES = { models: ["small", "large"], modes: [], askingModes: [], efforts: [] };

function feed() {
  const states = new EventEmitter<ServiceState>();
  const tasks = new EventEmitter<AsyncTask>();
  const nothing = new EventEmitter<void>();
  const agent: RunnerInfo = { name: "agent", type: "acp", available: true };
  const sidecar = { asked: 0, runners: [agent], state: { kind: "running" } as ServiceState };
  const service = {
    get state() {
      return sidecar.state;
    },
    onDidChangeState: states.event,
    onDidChangeTask: tasks.event,
    onDidChangeDefinitions: nothing.event,
    onDidRestart: nothing.event,
    request: () => {
      sidecar.asked += 1;
      return Promise.resolve({ items: sidecar.runners });
    },
  } as unknown as SubagentService;
  const posted: Offers[] = [];
  const offers = new OfferFeed(service);
  const show = (): void => {
    offers.show((each) => posted.push(each.offers));
  };
  const change = async (more: Partial<AsyncTask>): Promise<void> => {
    tasks.fire(asyncTask("a", more));
    await new Promise(setImmediate);
  };
  return { sidecar, agent, offers, posted, show, change, states };
}

test("what an agent offers is posted once it is known", async () => {
  const { sidecar, agent, posted, show, change } = feed();
  show();
  await change({ status: "queued" });
  expect(posted).toEqual([{}]);
  const commands = [{ name: "review", description: "Reviews." }];
  sidecar.runners = [{ ...agent, choices: CHOICES, commands }];
  await change({ model: "small" });
  expect(posted).toEqual([{}, { agent: { ...CHOICES, commands } }]);
});

test("a run that says nothing new about its agent asks nothing", async () => {
  const { sidecar, posted, show, change } = feed();
  show();
  await change({ model: "small" });
  const { asked } = sidecar;
  await change({ model: "small", progress: { turns: 0, toolCalls: 3, lastActivityAt: 2_000 } });
  expect(sidecar.asked).toBe(asked);
  await change({ model: "small", progress: { turns: 1, toolCalls: 3, lastActivityAt: 2_000 } });
  await change({ model: "small", status: "completed", completedAt: 3_000 });
  expect(sidecar.asked).toBe(asked + 2);
  expect(posted).toEqual([{}]);
});

test("nothing is asked without a composer, or before the sidecar runs", async () => {
  const { sidecar, posted, show, offers, change, states } = feed();
  await change({ model: "small" });
  sidecar.state = { kind: "starting" };
  show();
  await change({ model: "large" });
  expect(sidecar.asked).toBe(0);
  sidecar.state = { kind: "running" };
  states.fire(sidecar.state);
  await new Promise(setImmediate);
  expect(posted).toEqual([{}]);
  offers.hide();
  await change({ model: "small" });
  expect(sidecar.asked).toBe(1);
});
