import type { SubagentInfo } from "../../../src/protocol.js";
import {
  type AgentOffer,
  type Choice,
  type Chosen,
  type Offers,
} from "../../../src/offers/offers.js";
import {
  type FleetOffer,
  LOCAL,
  type Place,
  placementsOf,
  placeOf,
} from "../../../src/offers/placement.js";
import { omit } from "../../../src/util/omit.js";

/** What of an agent's session can be chosen. */
const SESSION_CHOICES = ["model", "mode", "effort"] as const satisfies readonly Choice[];
type SessionChoice = (typeof SESSION_CHOICES)[number];

type Offered = Pick<Control, "values" | "unasking">;

/** What the user chose, by the names of subagents. */
export type AllChosen = Readonly<Record<string, Chosen>>;

export type ChoiceEvent =
  /** Choose for the subagent of the composer; an empty value leaves it to the agent or definition. */
  { readonly type: "setChoice"; readonly choice: Choice; readonly value: string };

/** One control: what is in force unless the user chooses, and what there is to choose. */
export interface Control {
  readonly choice: Choice;
  /** What the definition asks for. */
  readonly byDefault?: string;
  readonly chosen?: string;
  readonly values: readonly string[];
  /** Modes in which the agent acts without asking. */
  readonly unasking: readonly string[];
  /** Whether the agent is known not to offer what was chosen. */
  readonly isGone: boolean;
}

/** What is known of agents and the cluster, and what was chosen. */
export interface Choosable {
  readonly offers: Offers;
  readonly fleet?: FleetOffer;
  readonly chosen: AllChosen;
}

/** Return the controls for a subagent: one for each choice that is offered or that was made. */
export function controlsFor(definition: SubagentInfo | undefined, known: Choosable): Control[] {
  if (definition === undefined) {
    return [];
  }
  const offer = known.offers[definition.runner];
  const chosenOf = usable(known.chosen[definition.name] ?? {}, known.fleet);
  const session = SESSION_CHOICES.map((choice) => {
    const offered = offeredOf(offer, choice, definition);
    return control(choice, chosenOf[choice], definition[choice], offered, offer !== undefined);
  });
  return [...session, placementControl(definition, chosenOf.placement, known.fleet)].flatMap(
    (each) => each ?? [],
  );
}

function control(
  choice: Choice,
  chosen: string | undefined,
  byDefault: string | undefined,
  offered: Offered,
  isKnown: boolean,
): Control | undefined {
  const all = [...offered.values, ...offered.unasking];
  const isGone = isKnown && chosen !== undefined && !all.includes(chosen);
  return all.length === 0 && chosen === undefined
    ? undefined
    : {
        ...{ choice, ...offered, isGone },
        ...(chosen === undefined ? {} : { chosen }),
        ...(byDefault === undefined ? {} : { byDefault }),
      };
}

/** Return where a launch can work, if there is a cluster: the usual place comes first, once. */
function placementControl(
  { placement: byDefault = LOCAL }: SubagentInfo,
  chosen: string | undefined,
  fleet: FleetOffer | undefined,
): Control | undefined {
  if (fleet === undefined) {
    return undefined;
  }
  const others = placementsOf(fleet).filter((place) => place !== byDefault || place === chosen);
  const offered = { values: others, unasking: [] };
  return control("placement", chosen, byDefault, offered, fleet.labels !== undefined);
}

/** Return where a launch of a subagent works. */
export function placeInForce({ name, placement = LOCAL }: SubagentInfo, chosen: AllChosen): Place {
  return placeOf(chosen[name]?.placement ?? placement);
}

/** Whether a choice makes the labels of the cluster worth asking for. */
export function needsFleet({ fleet }: Choosable, { choice, value }: ChoiceEvent): boolean {
  const isUnknown = fleet !== undefined && fleet.labels === undefined;
  return isUnknown && choice === "placement" && placeOf(value).isRemote;
}

/** Leave out a place of a cluster that is not configured any more. */
function usable(chosen: Chosen, fleet: FleetOffer | undefined): Chosen {
  return fleet === undefined ? omit(chosen, "placement") : chosen;
}

/** Apply a choice for one subagent. Pure. */
export function withChoice(
  all: AllChosen,
  subagentName: string,
  { choice, value }: ChoiceEvent,
): AllChosen {
  const before = all[subagentName] ?? {};
  const chosen = value === "" ? omit(before, choice) : { ...before, [choice]: value };
  const others = omit(all, subagentName);
  return Object.keys(chosen).length === 0 ? others : { ...others, [subagentName]: chosen };
}

/** Return the choices for these subagents. */
export function chosenFor({ chosen, fleet }: Choosable, names: readonly string[]): AllChosen {
  const wanted = Object.entries(chosen).filter(([name]) => names.includes(name));
  return Object.fromEntries(
    wanted
      .map(([name, each]) => [name, usable(each, fleet)] as const)
      .filter(([, each]) => Object.keys(each).length > 0),
  );
}

function offeredOf(
  offer: AgentOffer | undefined,
  choice: SessionChoice,
  { permissions, tools }: SubagentInfo,
): Offered {
  const { models = [], modes = [], askingModes = [], efforts = [] } = offer ?? {};
  switch (choice) {
    case "model":
      return { values: models, unasking: [] };
    case "effort":
      return { values: efforts, unasking: [] };
    case "mode": {
      const mustAsk = tools !== undefined || (permissions ?? "allowAll") !== "allowAll";
      const others = mustAsk ? [] : modes.filter((mode) => !askingModes.includes(mode));
      return { values: modes.filter((mode) => askingModes.includes(mode)), unasking: others };
    }
  }
}
