import type { Deletions, RunRow } from "../../src/panel/listMessages.js";
import type { PagePlace } from "../../src/panel/messages.js";
import type { DefinitionProblem, SlashCommand, SubagentInfo } from "../../src/protocol.js";
import type { Offers } from "../../src/offers/offers.js";
import type { FleetOffer } from "../../src/offers/placement.js";
import type { LaunchProblem } from "../../src/text/launchProblem.js";
import { isLive } from "../../src/text/outcome.js";
import type { ServiceState } from "../../src/service/service.js";
import { COMPOSER, HOME, SERVICE } from "../text/strings.js";
import { type AllChosen, type ChoiceEvent, withChoice } from "./choices.js";
import type { Event, OpenEvent } from "./events.js";
import { omit, without } from "../../src/util/omit.js";
import {
  EMPTY_LIST,
  type ListEvent,
  type ListState,
  reduceList,
  runKey,
} from "./list/listState.js";
import { newlyOpen, type OpenRun, reduceOpen } from "./openRun.js";
import { type Mention, reduceMention } from "./mention.js";
import { type FormEvent, isComplete, reduceDrafts } from "./questions/drafts.js";
import type { FormDrafts } from "./questions/inquiry.js";
import { reduceSpeeches, type Speeches, type SpeechEvent } from "./speech.js";

/** The most runs in the list; older ones are in the task history. */
const MAX_RUNS = 200;

/** The draft of the next launch. */
export interface Draft {
  readonly subagentName?: string;
  /** Other subagents that get the same goal. */
  readonly also?: readonly string[];
  readonly goal: string;
}

/** The progress of the launch. */
export type LaunchState =
  | { readonly kind: "idle" }
  | { readonly kind: "sending"; readonly queue: boolean }
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
  chosen: {},
  launch: { kind: "idle" },
  speeches: new Map(),
  forms: new Map(),
};

/** Apply an event to the state. Pure. */
export function reduce(state: State, event: Event): State {
  switch (event.type) {
    case "service":
      return { ...state, service: event.state };
    case "runs":
      return { ...state, runs: event.runs, cancelling: new Set() };
    case "run":
      return withRun(state, event.run);
    case "limit":
      return { ...state, limit: event.max };
    case "definitions":
      return withDefinitions(state, event);
    case "offers":
      return { ...state, offers: event.offers };
    case "fleet":
      return withFleet(state, event.fleet);
    case "deletions":
      return { ...omit(state, "deletions"), ...omit(event, "type") };
    case "setChoice":
      return choosing(state, event);
    case "settings":
      return withSettings(state, event.opensElsewhere);
    case "open":
      return opened(state, event.taskId);
    case "openRun":
      return state.opensElsewhere
        ? listing(state, { type: "focusRow", key: runKey({ id: event.taskId }) })
        : opened(state, event.taskId);
    case "home":
    case "closeRun":
      return state.place === "editor" ? state : omit(state, "open");
    case "history":
    case "toggleGroup":
    case "moveTo":
    case "focusRow":
    case "select":
    case "listScrolled":
    case "needMore":
      return listing(state, event);
    case "cancelRun":
    case "cancelFailed":
      return cancelChanged(state, event);
    case "launched":
    case "launchFailed":
    case "launchDropped":
    case "queue":
    case "choose":
    case "alsoUse":
    case "submit":
    case "compose":
    case "launchAgain":
      return composing(omit(state, "mention"), event);
    case "write":
      return mentioning(composing(state, event), event);
    case "foundFiles":
    case "pointMention":
    case "closeMention":
      return mentioning(state, event);
    case "writeMessage":
    case "sendMessage":
    case "beginResume":
    case "resume":
    case "queueResume":
    case "dropResume":
    case "sent":
    case "undelivered":
    case "sendAgain":
    case "discard":
    case "sendFailed":
    case "resumeFailed":
      return speaking(state, event);
    case "resumed":
      return opened(speaking(state, event), event.inTaskId);
    case "events":
      return withOpen(speaking(state, event), event);
    case "fillIn":
    case "sendForm":
    case "refuseForm":
      return filling(state, event);
    case "act":
    case "continueWith":
    case "look":
    case "openFile":
    case "openDiff":
    case "openChanges":
    case "openDefinition":
      return state;
    default:
      return withOpen(state, event);
  }
}

/** Return the definitions that are not shadowed; those without an available runner come last. */
export function launchable(state: State): readonly SubagentInfo[] {
  const all = state.definitions?.items.filter(({ shadowedBy }) => shadowedBy === undefined) ?? [];
  const missing = (each: SubagentInfo): boolean => missingReason(state, each) !== undefined;
  return [...all.filter((each) => !missing(each)), ...all.filter(missing)];
}

/** Return why the runner of a definition is not available; undefined if it is. */
export function missingReason(
  { definitions }: State,
  { runner }: SubagentInfo,
): string | undefined {
  return definitions?.missing?.[runner];
}

/** Return why this window cannot launch subagents; undefined if it can. */
export function viewOnly({ service }: State): string | undefined {
  return service.kind === "running" ? service.message : undefined;
}

function withFleet(state: State, fleet: FleetOffer | undefined): State {
  return fleet === undefined ? omit(state, "fleet") : { ...state, fleet };
}

/** Forget the run that the side bar showed, if runs now open in editors. */
function withSettings(state: State, opensElsewhere: boolean): State {
  const next = { ...state, opensElsewhere };
  return opensElsewhere && state.place === "sideBar" ? omit(next, "open") : next;
}

function listing(state: State, event: ListEvent): State {
  const list = reduceList(state.list, event);
  return list === state.list ? state : { ...state, list };
}

function withOpen(state: State, event: OpenEvent): State {
  const open = state.open && reduceOpen(state.open, event);
  return open === undefined || open === state.open ? state : { ...state, open };
}

function filling(state: State, event: FormEvent): State {
  const next = { ...state, forms: reduceDrafts(state.forms, event) };
  const { requestId } = event.inquiry;
  const isSent =
    event.type === "refuseForm" ||
    (event.type === "sendForm" && isComplete(next.forms, event.inquiry));
  return isSent ? withOpen(next, { type: "answering", requestId }) : next;
}

function speaking(state: State, event: SpeechEvent): State {
  const speeches = reduceSpeeches(state.speeches, event);
  return speeches === state.speeches ? state : { ...state, speeches };
}

function withRun(state: State, run: RunRow): State {
  const runs = state.runs ?? [];
  const known = runs.some(({ id }) => id === run.id);
  const next = known ? runs.map((row) => (row.id === run.id ? run : row)) : [run, ...runs];
  const cancelling = isLive(run) ? state.cancelling : without(state.cancelling, run.id);
  return { ...state, runs: next.slice(0, MAX_RUNS), cancelling };
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

/** Keep the chosen definition if it still exists, else choose the one used last. */
function withDefinitions(state: State, { items, problems, missing = {} }: Definitions): State {
  const next = { ...state, definitions: { items, problems, missing } };
  const names = launchable(next).map(({ name }) => name);
  const used = (state.runs ?? []).map(({ subagentName }) => subagentName);
  const [name] = [state.draft.subagentName ?? "", ...used, ...names].filter((each) =>
    names.includes(each),
  );
  return name === undefined ? next : { ...next, draft: { ...state.draft, subagentName: name } };
}

function opened(state: State, taskId: string): State {
  return state.open?.taskId === taskId
    ? state
    : {
        ...listing(state, { type: "focusRow", key: runKey({ id: taskId }) }),
        open: newlyOpen(taskId),
      };
}

function cancelChanged(
  state: State,
  event: Extract<Event, { type: "cancelRun" | "cancelFailed" }>,
): State {
  const { open, cancelling } = state;
  if (event.type === "cancelFailed") {
    const next = { ...state, cancelling: without(cancelling, event.taskId) };
    return open?.taskId === event.taskId
      ? { ...next, open: { ...open, problem: event.message } }
      : next;
  }
  return open === undefined
    ? state
    : {
        ...state,
        open: omit(open, "problem"),
        cancelling: new Set([...cancelling, open.taskId]),
      };
}

type ComposerEvent = Extract<
  Event,
  {
    type:
      | "launched"
      | "launchFailed"
      | "launchDropped"
      | "queue"
      | "write"
      | "choose"
      | "alsoUse"
      | "submit"
      | "compose"
      | "launchAgain";
  }
>;

function composing(state: State, event: ComposerEvent): State {
  const { draft, launch } = state;
  switch (event.type) {
    case "write":
      return {
        ...state,
        draft: { ...draft, goal: event.goal },
        launch: launch.kind === "refused" ? { kind: "idle" } : launch,
      };
    case "choose":
      return { ...state, draft: using({ ...draft, subagentName: event.subagentName }) };
    case "alsoUse":
      return { ...state, draft: using(draft, event) };
    case "submit":
    case "queue":
      return launch.kind === "sending"
        ? state
        : { ...state, launch: submitted(state, event.type === "queue") };
    case "launched":
      return launched(
        { ...state, launch: { kind: "idle" }, draft: { ...omit(draft, "also"), goal: "" } },
        event.taskId,
      );
    case "launchFailed":
      return {
        ...state,
        draft: leftOf(draft, event.left),
        launch: { ...omit(event, "type", "left"), kind: "refused" },
      };
    case "launchDropped":
      return { ...state, launch: { kind: "idle" } };
    case "compose":
      return omit({ ...state, draft: { ...draft, ...omit(event, "type") } }, "open");
    case "launchAgain":
      return launchingAgain(state);
  }
}

function choosing(state: State, event: ChoiceEvent): State {
  const { subagentName } = state.draft;
  return subagentName === undefined
    ? state
    : { ...state, chosen: withChoice(state.chosen, subagentName, event) };
}

/** Add or remove another subagent; none is used twice. */
function using(
  draft: Draft,
  change?: { readonly subagentName: string; readonly isUsed: boolean },
): Draft {
  const { also = [], subagentName } = draft;
  const others = also.filter((name) => name !== change?.subagentName && name !== subagentName);
  const next =
    change?.isUsed === true && change.subagentName !== subagentName
      ? [...others, change.subagentName]
      : others;
  return next.length === 0 ? omit(draft, "also") : { ...draft, also: next };
}

/** Keep in the draft only what was not launched, so that the next try launches nothing twice. */
function leftOf(draft: Draft, left: readonly string[] | undefined): Draft {
  const [subagentName, ...also] = left ?? [];
  return subagentName === undefined ? draft : using({ ...draft, subagentName, also });
}

/** Return the commands of the agent that the composer is about to launch. */
export function commandsOf(state: State): readonly SlashCommand[] {
  const chosen = launchable(state).find(({ name }) => name === state.draft.subagentName);
  return (chosen && state.offers[chosen.runner]?.commands) ?? [];
}

function mentioning(state: State, event: Parameters<typeof reduceMention>[1]): State {
  const mention = reduceMention(state.mention, event, commandsOf(state));
  if (mention === state.mention) {
    return state;
  }
  return mention === undefined ? omit(state, "mention") : { ...state, mention };
}

function launched(state: State, taskId: string): State {
  return state.opensElsewhere
    ? listing(state, { type: "focusRow", key: runKey({ id: taskId }) })
    : opened(state, taskId);
}

function submitted({ draft, service }: State, queue: boolean): LaunchState {
  if (service.kind === "untrusted") {
    return {
      kind: "refused",
      message: SERVICE.untrusted,
    };
  }
  if (service.kind !== "running") {
    return { kind: "refused", message: COMPOSER.starting };
  }
  if (service.message !== undefined) {
    return { kind: "refused", message: service.message };
  }
  if (draft.subagentName === undefined) {
    return { kind: "refused", message: COMPOSER.noSubagent };
  }
  return draft.goal.trim() === ""
    ? { kind: "refused", message: COMPOSER.noGoal }
    : { kind: "sending", queue };
}

function launchingAgain(state: State): State {
  const task = state.open?.task;
  if (task === undefined || state.place === "editor") {
    return state; // The composer is in another page.
  }
  const draft = { subagentName: task.subagentName, goal: task.goalPrompt };
  const launch: LaunchState = { kind: "idle" };
  return omit({ ...state, draft, launch }, "open");
}
