import { EventEmitter } from "vscode";
import { expect, test } from "vitest";

import { FleetFeed } from "../../../src/offers/fleetFeed.js";
import type { FleetOffer } from "../../../src/offers/placement.js";
import type { AsyncTask, FleetStatus, Placement } from "../../../src/protocol.js";
import type { ServiceState, SubagentService } from "../../../src/service/service.js";
import { fleetStatus } from "../fleets.js";
import { asyncTask } from "../tasks.js";

const UNCONFIGURED: FleetStatus = { configured: false, nodes: [], runs: [] };
const UNREACHED: FleetStatus = { configured: true, nodes: [], runs: [] };

function feed(before: FleetStatus) {
  const states = new EventEmitter<ServiceState>();
  const tasks = new EventEmitter<AsyncTask>();
  const settings = new EventEmitter<void>();
  const restarts = new EventEmitter<void>();
  const sidecar = {
    asked: [] as unknown[],
    answers: { kept: before, fresh: fleetStatus() } as Record<"kept" | "fresh", FleetStatus>,
    state: { kind: "running" } as ServiceState,
  };
  const service = {
    get state() {
      return sidecar.state;
    },
    onDidChangeState: states.event,
    onDidChangeTask: tasks.event,
    onDidChangeSettings: settings.event,
    onDidRestart: restarts.event,
    request: (_: string, params: { connect?: false }) => {
      sidecar.asked.push(params);
      const isKept = params.connect === false;
      return Promise.resolve(sidecar.answers[isKept ? "kept" : "fresh"]);
    },
  } as unknown as SubagentService;
  const configured: boolean[] = [];
  const posted: (FleetOffer | undefined)[] = [];
  const fleet = new FleetFeed(service, (is) => configured.push(is));
  const settle = () => new Promise(setImmediate);
  const change = async (more: Partial<AsyncTask>): Promise<void> => {
    tasks.fire(asyncTask("a", more));
    await settle();
  };
  const show = async (): Promise<void> => {
    fleet.show((offer) => posted.push(offer));
    await settle();
  };
  return { sidecar, fleet, configured, posted, show, change, settings, settle };
}

test("without a cluster nothing is offered, and no gateway is started", async () => {
  const { sidecar, configured, posted, show, settings, settle } = feed(UNCONFIGURED);
  await show();
  settings.fire();
  await settle();
  expect([configured, posted]).toEqual([[], [undefined]]);
  expect(sidecar.asked).toEqual([{ connect: false }, { connect: false }]);
});

test("a cluster is offered at once, and its labels once it was reached", async () => {
  const { fleet, configured, posted, show } = feed(UNREACHED);
  await show();
  expect(posted).toEqual([undefined, {}]);
  await fleet.connect();
  expect(posted.at(-1)).toMatchObject({ slots: 6, freeSlots: 3 });
  expect(configured).toEqual([true]);
});

test("the page about the cluster informs the composer too", async () => {
  const { fleet, posted, show } = feed(UNREACHED);
  await show();
  expect(await fleet.status()).toEqual(fleetStatus());
  expect(posted.at(-1)?.labels).toContain("gpu=yes");
});

test("a run on the cluster refreshes the slots when it changes its place, another one never", async () => {
  const { sidecar, change } = feed(UNREACHED);
  const at: Placement = { kind: "ray", state: "running", node: "gpu-1" };
  await change({ status: "running" });
  expect(sidecar.asked).toEqual([]);
  await change({ placement: { kind: "ray", state: "waiting" } });
  await change({ placement: at });
  await change({ placement: { ...at, lastHeardAt: 5_000 } });
  expect(sidecar.asked).toHaveLength(2);
  await change({ placement: { ...at, state: "ended" }, status: "completed", completedAt: 9_000 });
  expect(sidecar.asked).toHaveLength(3);
});

test("nothing is posted to a page that is hidden", async () => {
  const { fleet, posted, show } = feed(UNREACHED);
  await show();
  fleet.hide();
  await fleet.connect();
  expect(posted).toHaveLength(2);
});
