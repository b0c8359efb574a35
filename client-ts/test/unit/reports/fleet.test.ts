import { expect, test } from "vitest";

import { fleetReport } from "../../../src/reports/fleet.js";
import { fleetNode, fleetStatus } from "../fleets.js";
import { asyncTask } from "../tasks.js";

const NOW = 100_000;

test("the page has a line for each node, with a block for each slot", () => {
  const report = fleetReport(fleetStatus(), [], NOW);
  expect(report).toContain("Cluster at 10\\.0\\.0\\.1\\:6379, with authentication.");
  expect(report).toContain("3 of 6 slots free.");
  expect(report).toContain("sidecar 0\\.1\\.0, Ray 2\\.60\\.0, Python 3\\.11\\.7");
  expect(report).toContain("| cpu\\-1 | █░░░ | 3 of 4 | opencode | fleet\\.name=cpu\\-1 |");
  expect(report).toContain("| gpu\\-1 | ██ | 0 of 2 |");
  expect(report).toContain("| head |  | – |");
  expect(report).not.toContain("ray.io");
  expect(report).not.toContain("## Problems");
  expect(report).not.toContain("## Runs");
});

test("many slots share a block, and a taken one is always seen", () => {
  const nodes = [fleetNode("big", { slots: 1_000, freeSlots: 999 })];
  expect(fleetReport(fleetStatus({ nodes }), [], NOW)).toContain(
    `█${"░".repeat(11)} | 999 of 1,000`,
  );
});

test("problems name their node and the remedy, and text of a node is not markup", () => {
  const problem = "node 'cpu-1' has no git; install it there";
  const nodes = [fleetNode("a|b", { problem, agents: ["<img>"] })];
  const report = fleetReport(fleetStatus({ nodes, problem, authentication: false }), [], NOW);
  expect(report).toContain("**It cannot be used:** node 'cpu\\-1' has no git; install it there.");
  expect(report).toContain("- **a\\|b:** node 'cpu\\-1' has no git");
  expect(report).toContain("\\<img\\>");
  expect(report).toContain("**without** authentication");
});

test("runs of this window are listed with their node, others are counted", () => {
  const placement = { kind: "ray", node: "gpu-1", state: "running", lastHeardAt: 40_000 } as const;
  const tasks = [
    asyncTask("a", { goalPrompt: "Mend\nthe roof", placement }),
    asyncTask("b"),
    asyncTask("c", { placement, status: "completed" }),
  ];
  const report = fleetReport(fleetStatus({ runs: ["a", "c", "x"] }), tasks, NOW);
  expect(report).toContain("| Mend the roof | reviewer | gpu\\-1 | Running | 1m ago |");
  expect(report.match(/reviewer/gu)).toHaveLength(1);
  expect(report).toContain("2 other runs belong to other sidecars or have ended.");
});

test("without a cluster the page says how to configure one", () => {
  const report = fleetReport({ configured: false, nodes: [], runs: [] }, [], NOW);
  expect(report).toContain("`fleet.gateway`");
  expect(report).not.toContain("## Nodes");
});

test("a cluster that cannot be reached is named with the remedy", () => {
  const problem = "no cluster answers at head:6379; start it with: ray start --head";
  const report = fleetReport({ configured: true, problem, nodes: [], runs: [] }, [], NOW);
  expect(report).toContain("no cluster answers at head\\:6379; start it with\\: ray start");
});
