import { expect, test } from "vitest";

import { launchChoices } from "../../../src/offers/offers.js";
import { fleetOfferOf, placementsOf, placeOf } from "../../../src/offers/placement.js";
import { fleetNode, fleetStatus } from "../fleets.js";

test("a cluster offers this machine, any node and each label that people gave its nodes", () => {
  const offer = fleetOfferOf(fleetStatus());
  expect(offer).toEqual({
    labels: ["fleet.name=cpu-1", "fleet.name=gpu-1", "gpu=yes"],
    freeSlots: 3,
    slots: 6,
  });
  expect(placementsOf(offer ?? {})).toEqual([
    ...["local", "ray", "ray fleet.name=cpu-1", "ray fleet.name=gpu-1", "ray gpu=yes"],
  ]);
});

test("no cluster offers nothing, and one that was not reached yet no labels", () => {
  expect(fleetOfferOf({ configured: false, nodes: [], runs: [] })).toBeUndefined();
  expect(fleetOfferOf({ configured: true, nodes: [], runs: [] })).toEqual({});
  const head = fleetNode("head", { slots: 0, freeSlots: 0 });
  const problem = "no node has slots";
  expect(fleetOfferOf(fleetStatus({ nodes: [head], problem }))).toEqual({ problem });
});

test.each([
  ["local", { placement: "local" }, { isRemote: false }],
  ["ray", { placement: "ray" }, { isRemote: true }],
  [
    "ray gpu=a=b",
    { placement: "ray", nodeLabels: { gpu: "a=b" } },
    { isRemote: true, label: "gpu=a=b" },
  ],
  [
    "ray fleet.name=gpu-1",
    { placement: "ray", nodeLabels: { "fleet.name": "gpu-1" } },
    { isRemote: true, node: "gpu-1" },
  ],
])("the choice %j becomes what a launch asks for", (placement, params, place) => {
  expect(launchChoices({ model: "large", placement })).toEqual({ model: "large", ...params });
  expect(placeOf(placement)).toEqual(place);
});

test("a launch without a choice leaves the place to the definition", () => {
  expect(launchChoices({ mode: "plan" })).toEqual({ mode: "plan" });
});
