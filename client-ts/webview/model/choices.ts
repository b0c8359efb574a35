import type { SubagentInfo } from "../../src/protocol.js";
import {
  type AgentOffer,
  type Choice,
  CHOICES,
  type Chosen,
  type Offers,
} from "../../src/offers/offers.js";
import { omit } from "../../src/util/omit.js";

/** What the user chose, by the names of subagents. */
export type AllChosen = Readonly<Record<string, Chosen>>;

export type ChoiceEvent =
  /** Choose for the subagent of the composer; an empty value leaves it to the agent. */
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

/** Return the controls for a subagent: one for each choice that its agent offers or that was made. */
export function controlsFor(
  definition: SubagentInfo | undefined,
  offers: Offers,
  allChosen: AllChosen,
): Control[] {
  if (definition === undefined) {
    return [];
  }
  const offer = offers[definition.runner];
  const chosenOf = allChosen[definition.name] ?? {};
  return CHOICES.flatMap((choice) => {
    const offered = offeredOf(offer, choice, definition);
    const chosen = chosenOf[choice];
    const byDefault = definition[choice];
    const all = [...offered.values, ...offered.unasking];
    const isGone = offer !== undefined && chosen !== undefined && !all.includes(chosen);
    return all.length === 0 && chosen === undefined
      ? []
      : [
          {
            ...{ choice, ...offered, isGone },
            ...(chosen === undefined ? {} : { chosen }),
            ...(byDefault === undefined ? {} : { byDefault }),
          },
        ];
  });
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
export function chosenFor(all: AllChosen, names: readonly string[]): AllChosen {
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}

function offeredOf(
  offer: AgentOffer | undefined,
  choice: Choice,
  { permissions, tools }: SubagentInfo,
): Pick<Control, "values" | "unasking"> {
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
