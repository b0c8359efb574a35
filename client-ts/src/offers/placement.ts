import type { FleetNode, FleetStatus, LaunchParams } from "../protocol.js";

/** What a launch can choose of where it works: here, on any node, or on one with a label. */
export const LOCAL = "local";
export const ANY_NODE = "ray";

/** The label by which nodes have their names. */
const NAME_LABEL = "fleet.name";
/** Labels that Ray itself gives every node. */
const OF_RAY = "ray.io/";

/** What a composer shows of the cluster, where one is configured. */
export interface FleetOffer {
  /** `name=value` of the nodes' labels. Undefined until the cluster was reached. */
  readonly labels?: readonly string[];
  readonly freeSlots?: number;
  readonly slots?: number;
  /** Why it cannot be used, with the remedy. */
  readonly problem?: string;
}

/** Return what a status offers; undefined if no cluster is configured. */
export function fleetOfferOf({ configured, problem, nodes }: FleetStatus): FleetOffer | undefined {
  const workers = nodes.filter(({ slots }) => slots > 0);
  return configured
    ? {
        ...(problem === undefined ? {} : { problem }),
        ...(workers.length === 0 ? {} : { labels: allLabels(workers), ...slotsOf(workers) }),
      }
    : undefined;
}

/** Add up the slots of nodes. */
export function slotsOf(nodes: readonly FleetNode[]): { freeSlots: number; slots: number } {
  return {
    freeSlots: nodes.reduce((sum, node) => sum + node.freeSlots, 0),
    slots: nodes.reduce((sum, node) => sum + node.slots, 0),
  };
}

/** Return the labels of a node that people gave it, as `name=value`. */
export function ownLabels({ labels }: Pick<FleetNode, "labels">): string[] {
  return Object.entries(labels)
    .filter(([name]) => !name.startsWith(OF_RAY))
    .map(([name, value]) => `${name}=${value}`)
    .sort();
}

function allLabels(nodes: readonly FleetNode[]): string[] {
  return [...new Set(nodes.flatMap(ownLabels))].sort();
}

/** Return the choices that a cluster offers. */
export function placementsOf({ labels = [] }: FleetOffer): string[] {
  return [LOCAL, ANY_NODE, ...labels.map((label) => `${ANY_NODE} ${label}`)];
}

/** A choice in its parts: a node is chosen by its name, or by another label. */
export interface Place {
  readonly isRemote: boolean;
  readonly node?: string;
  readonly label?: string;
}

/** Read a choice. */
export function placeOf(choice: string): Place {
  const [kind, label] = divided(choice, " ");
  const [name, value] = divided(label, "=");
  return {
    isRemote: kind === ANY_NODE,
    ...(name === NAME_LABEL ? { node: value } : label === "" ? {} : { label }),
  };
}

/** Return what a launch asks for. */
export function placementParams(
  choice: string,
): Required<Pick<LaunchParams, "placement">> & Pick<LaunchParams, "nodeLabels"> {
  const [kind, label] = divided(choice, " ");
  const [name, value] = divided(label, "=");
  return {
    placement: kind === ANY_NODE ? "ray" : "local",
    ...(label === "" ? {} : { nodeLabels: { [name]: value } }),
  };
}

function divided(text: string, at: string): [string, string] {
  const index = text.indexOf(at);
  return index < 0 ? [text, ""] : [text.slice(0, index), text.slice(index + 1)];
}
