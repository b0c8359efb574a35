import type { AsyncTask, FleetNode, FleetStatus } from "../protocol.js";
import { ago } from "../l10n/format.js";
import { ownLabels, slotsOf } from "../offers/placement.js";
import { plain, table } from "../text/markdown.js";
import { isLive, runStatus } from "../text/outcome.js";
import { fleet, UNKNOWN } from "./strings.js";
import { oneLine } from "../text/words.js";

/** The longest bar of slots, in characters. */
const BAR_CHARS = 12;
const GOAL_CHARS = 60;

/** Write what the document shows until the cluster has answered. */
export function askingFleet(): string {
  return `# ${fleet.heading}\n\n${fleet.asking}\n`;
}

/** Write the status of the cluster as a document; `tasks` are the runs that this window knows. */
export function fleetReport(status: FleetStatus, tasks: Iterable<AsyncTask>, now: number): string {
  const parts = [`# ${fleet.heading}`, ...(status.configured ? [] : [fleet.unconfigured])];
  if (status.address !== undefined) {
    parts.push(summary(status));
  }
  if (status.problem !== undefined) {
    parts.push(fleet.unusable(plain(status.problem)));
  }
  if (status.nodes.length > 0) {
    parts.push(`## ${fleet.nodes}`, nodeTable(status.nodes), ...problems(status));
  }
  parts.push(...runs(status, [...tasks].filter(isOnFleet), now));
  return `${parts.join("\n\n")}\n`;
}

function summary({ address, authentication, version, ray, python, nodes }: FleetStatus): string {
  const { freeSlots, slots } = slotsOf(nodes);
  const cluster = authentication === true ? fleet.withToken : fleet.withoutToken;
  const versions = [`sidecar ${version ?? UNKNOWN}`, `Ray ${ray ?? UNKNOWN}`];
  return [
    cluster(plain(address ?? UNKNOWN)),
    fleet.freeSlots(freeSlots, slots),
    fleet.versions(plain([...versions, `Python ${python ?? UNKNOWN}`].join(", "))),
  ].join(" ");
}

function nodeTable(nodes: readonly FleetNode[]): string {
  const rows = nodes.map((node) => [
    plain(node.name),
    bar(node),
    node.slots === 0 ? UNKNOWN : fleet.slotsOfNode(node.freeSlots, node.slots),
    plain((node.agents ?? []).join(", ")) || UNKNOWN,
    plain(ownLabels(node).join(", ")) || UNKNOWN,
    plain(node.address),
    plain(node.version ?? UNKNOWN),
  ]);
  return table(fleet.nodeColumns, rows, ["---", "---", "---:", "---"]);
}

/** Draw a block for each slot, or for a share of many; filled ones are taken. */
function bar({ slots, freeSlots }: FleetNode): string {
  const length = Math.min(slots, BAR_CHARS);
  const taken = slots === 0 ? 0 : Math.ceil((length * (slots - freeSlots)) / slots);
  return "█".repeat(taken) + "░".repeat(length - taken);
}

function problems({ nodes }: FleetStatus): string[] {
  const lines = nodes.flatMap(({ name, problem }) =>
    problem === undefined ? [] : [`- **${plain(name)}:** ${plain(problem)}.`],
  );
  return lines.length === 0 ? [] : [`## ${fleet.problems}`, lines.join("\n")];
}

function runs(status: FleetStatus, own: readonly AsyncTask[], now: number): string[] {
  const known = new Set(own.map(({ id }) => id));
  const others = status.runs.filter((id) => !known.has(id)).length;
  if (own.length + others === 0) {
    return [];
  }
  const rows = own.map((task) => [
    plain(oneLine(task.goalPrompt, GOAL_CHARS)),
    plain(task.subagentName),
    plain(task.placement?.node ?? UNKNOWN),
    plain(runStatus(task)),
    task.placement?.lastHeardAt === undefined ? UNKNOWN : ago(task.placement.lastHeardAt, now),
  ]);
  return [
    `## ${fleet.runs}`,
    ...(own.length === 0 ? [] : [table(fleet.runColumns, rows, ["---"])]),
    ...(others === 0 ? [] : [fleet.otherRuns(others)]),
  ];
}

function isOnFleet(task: AsyncTask): boolean {
  return task.placement?.kind === "ray" && isLive(task);
}
