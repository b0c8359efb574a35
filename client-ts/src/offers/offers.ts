import type { AgentChoices, LaunchParams, RunnerInfo, SlashCommand } from "../protocol.js";
import { placementParams } from "./placement.js";

/** What a launch can choose: of an agent's session, and where it works. */
export const CHOICES = ["model", "mode", "effort", "placement"] as const;
export type Choice = (typeof CHOICES)[number];

/** What the user chose for the launches of one subagent; the agent or the definition decides the rest. */
export type Chosen = Readonly<Partial<Record<Choice, string>>>;

/** What a runner's agent offered when it last ran. */
export interface AgentOffer extends AgentChoices {
  readonly commands: readonly SlashCommand[];
}

/** By the names of runners. */
export type Offers = Readonly<Record<string, AgentOffer>>;

/** Return what the agents offer that have run. */
export function offersOf(runners: readonly RunnerInfo[]): Offers {
  return Object.fromEntries(
    runners.flatMap(({ name, choices, commands = [] }) =>
      choices === undefined ? [] : [[name, { ...choices, commands }]],
    ),
  );
}

/** Return what a launch asks for. */
export function launchChoices({ placement, ...session }: Chosen): Partial<LaunchParams> {
  return { ...session, ...(placement === undefined ? {} : placementParams(placement)) };
}

/** Read choices by the names of subagents from an untrusted value; invalid ones are ignored. */
export function readChosen(value: unknown): Readonly<Record<string, Chosen>> {
  const entries = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(entries.map(([name, each]) => [name, chosenIn(each)]));
}

function chosenIn(value: unknown): Chosen {
  const given = isObject(value) ? value : {};
  return Object.fromEntries(
    CHOICES.flatMap((choice) => {
      const text = given[choice];
      return typeof text === "string" && text !== "" ? [[choice, text]] : [];
    }),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
