import type { RunRow } from "../../src/panel/messages.js";
import type { DefinitionProblem, SubagentInfo } from "../../src/protocol.js";
import type { LaunchProblem } from "../../src/text/launchProblem.js";
import { isLive } from "../../src/text/outcome.js";
import type { ServiceState } from "../../src/service/service.js";
import { COMPOSER, HOME, SERVICE } from "../text/strings.js";
import type { Event, OpenEvent } from "./events.js";
import { omit, without } from "../../src/util/omit.js";
import { newlyOpen, type OpenRun, reduceOpen } from "./openRun.js";
import { reduceSpeeches, type Speeches, type SpeechEvent } from "./speech.js";

/** The most runs in the list; older ones are in the task history. */
const MAX_RUNS = 200;

/** The draft of the next launch. */
export interface Draft {
  readonly subagentName?: string;
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
  readonly service: ServiceState;
  /** Undefined until the extension sends them, like `runs`. */
  readonly definitions?: Definitions;
  /** How many subagents can run at once, when known; -1 means no limit. */
  readonly limit?: number;
  /** Newest first. */
  readonly runs?: readonly RunRow[];
  /** The row of the list with the keyboard focus. */
  readonly current?: string;
  readonly open?: OpenRun;
  /** Ids of the runs whose cancel is not confirmed. */
  readonly cancelling: ReadonlySet<string>;
  readonly draft: Draft;
  readonly launch: LaunchState;
  /** Messages to the agents of runs. */
  readonly speeches: Speeches;
}

export const INITIAL: State = {
  service: { kind: "starting" },
  cancelling: new Set(),
  draft: { goal: "" },
  launch: { kind: "idle" },
  speeches: new Map(),
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
    case "open":
    case "openRun":
      return opened(state, event.taskId);
    case "home":
    case "closeRun":
      return omit(state, "open");
    case "focusRun":
      return state.current === event.taskId ? state : { ...state, current: event.taskId };
    case "cancelRun":
    case "cancelFailed":
      return cancelChanged(state, event);
    case "launched":
    case "launchFailed":
    case "launchDropped":
    case "queue":
    case "write":
    case "choose":
    case "submit":
    case "compose":
    case "launchAgain":
      return composing(state, event);
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
    case "act":
    case "look":
    case "openFile":
    case "openDiff":
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

function withOpen(state: State, event: OpenEvent): State {
  const open = state.open && reduceOpen(state.open, event);
  return open === undefined || open === state.open ? state : { ...state, open };
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
    : { ...state, current: taskId, open: newlyOpen(taskId) };
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
      return { ...state, draft: { ...draft, subagentName: event.subagentName } };
    case "submit":
    case "queue":
      return launch.kind === "sending"
        ? state
        : { ...state, launch: submitted(state, event.type === "queue") };
    case "launched":
      return opened(
        { ...state, launch: { kind: "idle" }, draft: { ...draft, goal: "" } },
        event.taskId,
      );
    case "launchFailed":
      return {
        ...state,
        launch: { ...omit(event, "type"), kind: "refused" },
      };
    case "launchDropped":
      return { ...state, launch: { kind: "idle" } };
    case "compose":
      return omit(
        event.subagentName === undefined
          ? state
          : { ...state, draft: { ...draft, subagentName: event.subagentName } },
        "open",
      );
    case "launchAgain":
      return launchingAgain(state);
  }
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
  if (task === undefined) {
    return state;
  }
  const draft = { subagentName: task.subagentName, goal: task.goalPrompt };
  const launch: LaunchState = { kind: "idle" };
  return omit({ ...state, draft, launch }, "open");
}
