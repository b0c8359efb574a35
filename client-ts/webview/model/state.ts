import type { Deletions, RunRow } from "../../src/panel/listMessages.js";
import type { PagePlace } from "../../src/panel/messages.js";
import type { DefinitionProblem, SlashCommand, SubagentInfo } from "../../src/protocol.js";
import { isExample } from "../../src/exampleNames.js";
import type { InstalledAgent } from "../../src/offers/installedAgents.js";
import type { Offers } from "../../src/offers/offers.js";
import type { FleetOffer } from "../../src/offers/placement.js";
import type { LaunchProblem } from "../../src/refusals/launchProblem.js";
import type { ServiceState } from "../../src/service/service.js";
import { HOME, SERVICE } from "../text/strings.js";
import type { AllChosen } from "./composer/choices.js";
import type { Draft } from "./composer/draft.js";
import type { Mention } from "./composer/mention.js";
import { EMPTY_LIST, type ListState } from "./list/listState.js";
import type { OpenRun } from "./openRun.js";
import type { FormDrafts } from "./questions/inquiry.js";
import type { Speeches } from "./speech.js";

/** The progress of the launch. */
export type LaunchState =
  | { readonly kind: "idle" }
  /** The message says what could not be attached to the next one meanwhile. */
  | { readonly kind: "sending"; readonly queue: boolean; readonly message?: string }
  | ({ readonly kind: "refused" } & Partial<LaunchProblem> & { readonly message: string });

/** Definitions, and problems in their files. */
export interface Definitions {
  readonly items: readonly SubagentInfo[];
  /** Why runners are not available, by name. */
  readonly missing?: Readonly<Record<string, string>>;
  readonly problems: readonly DefinitionProblem[];
}

/** Everything that the page shows. */
export interface State {
  readonly place: PagePlace;
  /** Whether runs open in another page: an editor. */
  readonly opensElsewhere: boolean;
  readonly service: ServiceState;
  /** Undefined until the extension sends them, like `runs`. */
  readonly definitions?: Definitions;
  /** How many subagents can run at once, when known; -1 means no limit. */
  readonly limit?: number;
  /** Newest first. */
  readonly runs?: readonly RunRow[];
  readonly list: ListState;
  readonly open?: OpenRun;
  /** Ids of the runs whose cancel is not confirmed. */
  readonly cancelling: ReadonlySet<string>;
  readonly draft: Draft;
  /** What agents offer, by the names of their runners. */
  readonly offers: Offers;
  /** The installed agents that a new subagent could use. */
  readonly installed: readonly InstalledAgent[];
  /** The cluster, if one is configured. */
  readonly fleet?: FleetOffer;
  /** The sessions that will be deleted soon, if the list says so. */
  readonly deletions?: Deletions;
  /** What the user chose of them, by the names of subagents. */
  readonly chosen: AllChosen;
  readonly launch: LaunchState;
  /** The file or command that the user is naming in the goal. */
  readonly mention?: Mention;
  /** Messages to the agents of runs. */
  readonly speeches: Speeches;
  /** What was entered in the forms of agents' questions, by request id. */
  readonly forms: FormDrafts;
}

export const INITIAL: State = {
  place: "sideBar",
  opensElsewhere: false,
  list: EMPTY_LIST,
  service: { kind: "starting" },
  cancelling: new Set(),
  draft: { goal: "" },
  offers: {},
  installed: [],
  chosen: {},
  launch: { kind: "idle" },
  speeches: new Map(),
  forms: new Map(),
};

/** Return the definitions that are not shadowed; those without an available runner come last. */
export function launchable(state: State): readonly SubagentInfo[] {
  const all = state.definitions?.items.filter(({ shadowedBy }) => shadowedBy === undefined) ?? [];
  const missing = (each: SubagentInfo): boolean => missingReason(state, each) !== undefined;
  return [...all.filter((each) => !missing(each)), ...all.filter(missing)];
}

/** Whether the example is all that can be launched: nothing could work on a goal of the user. */
export function hasOnlyExample(state: State): boolean {
  const all = launchable(state);
  return all.length > 0 && all.every(isExample);
}

/** Whether the composer is about to launch the example. */
export function isExampleChosen(state: State): boolean {
  return launchable(state).some(
    (each) => each.name === state.draft.subagentName && isExample(each),
  );
}

/** Return why the runner of a definition is not available; undefined if it is. */
export function missingReason(
  { definitions }: State,
  { runner }: SubagentInfo,
): string | undefined {
  return definitions?.missing?.[runner];
}

/** Return why this window cannot launch subagents, not even later; undefined if it can. */
export function launchProblem({ service: { kind, message } }: State): string | undefined {
  switch (kind) {
    case "untrusted":
      return SERVICE.untrusted;
    case "failed":
      return message ?? SERVICE.failed;
    default:
      return kind === "running" ? message : undefined;
  }
}

/** Return the problems in definition files and the definitions that are shadowed. */
export function problemsOf({ definitions }: State): readonly DefinitionProblem[] {
  const hidden = (definitions?.items ?? []).flatMap(({ name, source, shadowedBy }) =>
    shadowedBy === undefined
      ? []
      : [{ path: source.path, message: HOME.shadowed(name, shadowedBy) }],
  );
  return [...(definitions?.problems ?? []), ...hidden];
}

/** Return the commands of the agent that the composer is about to launch. */
export function commandsOf(state: State): readonly SlashCommand[] {
  const chosen = launchable(state).find(({ name }) => name === state.draft.subagentName);
  return (chosen && state.offers[chosen.runner]?.commands) ?? [];
}
