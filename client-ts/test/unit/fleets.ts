import type { FleetNode, FleetStatus } from "../../src/protocol.js";

/** A node of a cluster; `more` overrides. */
export function fleetNode(name: string, more: Partial<FleetNode> = {}): FleetNode {
  return {
    name,
    address: "10.0.0.2",
    labels: { "fleet.name": name, "ray.io/node-id": "abc" },
    slots: 4,
    freeSlots: 3,
    version: "0.1.0",
    agents: ["opencode"],
    ...more,
  };
}

/** A cluster of two nodes and a head; `more` overrides. */
export function fleetStatus(more: Partial<FleetStatus> = {}): FleetStatus {
  const head = fleetNode("head", { slots: 0, freeSlots: 0, labels: {} });
  const labels = { "fleet.name": "gpu-1", gpu: "yes", "ray.io/node-id": "def" };
  return {
    configured: true,
    address: "10.0.0.1:6379",
    version: "0.1.0",
    python: "3.11.7",
    ray: "2.60.0",
    authentication: true,
    nodes: [head, fleetNode("cpu-1"), fleetNode("gpu-1", { labels, slots: 2, freeSlots: 0 })],
    runs: [],
    ...more,
  };
}
