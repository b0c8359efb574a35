import type { RunRow } from "../../src/panel/messages.js";
import type { DefinitionProblem, SubagentInfo } from "../../src/protocol.js";
import type { LaunchProblem } from "../../src/text/launchProblem.js";
import { isLive } from "../../src/text/outcome.js";
import type { ServiceState } from "../../src/service/service.js";
import type { Event, OpenEvent } from "./events.js";
import { omit, without } from "./omit.js";
import { newlyOpen, type OpenRun, reduceOpen } from "./openRun.js";
import { reduceSpeeches, type Speeches, type SpeechEvent } from "./speech.js";

/** The longest list of runs; older ones are in the task history. */
const MAX_RUNS = 200;

/** What is being written for the next launch. */
export interface Draft {
  readonly subagentName?: string;
  readonly goal: string;
}

/** Where the launch of the draft stands. */
export type LaunchState =
  | { readonly kind: "idle" }
  | { readonly kind: "sending"; readonly queue: boolean }
  | ({ readonly kind: "refused" } & Partial<LaunchProblem> & { readonly message: string });

/** Definitions as the sidecar read them, and what it could not read. */
export interface Definitions {
  readonly items: readonly SubagentInfo[];
  /** Why runners cannot be started now, by their names. */
  readonly missing?: Readonly<Record<string, string>>;
  readonly problems: readonly DefinitionProblem[];
}

/** All the page shows. */
export interface State {
  readonly service: ServiceState;
  /** Undefined until the extension has told; `runs` as well. */
  readonly definitions?: Definitions;
  /** How many subagents may run at once, once that matters; -1 is no limit. */
  readonly limit?: number;
  /** Newest first. */
  readonly runs?: readonly RunRow[];
  /** The row of the list that the keyboard is on. */
  readonly current?: string;
  readonly open?: OpenRun;
  /** Ids of the runs whose cancel is not answered. */
  readonly cancelling: ReadonlySet<string>;
  readonly draft: Draft;
  readonly launch: LaunchState;
  /** What is said to the agents of runs. */
  readonly speeches: Speeches;
}

export const INITIAL: State = {
  service: { kind: "starting" },
  cancelling: new Set(),
  draft: { goal: "" },
  launch: { kind: "idle" },
  speeches: new Map(),
};

/** Say what the state becomes. Pure. */
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

/** The definitions one can launch: those that no other shadows. Those without a runner come last. */
export function launchable(state: State): readonly SubagentInfo[] {
  const all = state.definitions?.items.filter(({ shadowedBy }) => shadowedBy === undefined) ?? [];
  const missing = (each: SubagentInfo): boolean => missingReason(state, each) !== undefined;
  return [...all.filter((each) => !missing(each)), ...all.filter(missing)];
}

/** Why the runner of a definition cannot be started now; undefined if it can. */
export function missingReason(
  { definitions }: State,
  { runner }: SubagentInfo,
): string | undefined {
  return definitions?.missing?.[runner];
}

/** Why nothing can be launched in this window; undefined if it can. */
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

/** What is wrong with definitions: faults of files, and definitions that another one hides. */
export function problemsOf({ definitions }: State): readonly DefinitionProblem[] {
  const hidden = (definitions?.items ?? []).flatMap(({ name, source, shadowedBy }) =>
    shadowedBy === undefined
      ? []
      : [{ path: source.path, message: `“${name}” is hidden by ${shadowedBy}` }],
  );
  return [...(definitions?.problems ?? []), ...hidden];
}

/** Keep the chosen definition if there still is one of that name, else choose the last one used. */
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
      message: "Restricted Mode: you can view subagents but not launch them.",
    };
  }
  if (service.kind !== "running") {
    return { kind: "refused", message: "Subagents are still starting. Try again in a moment." };
  }
  if (service.message !== undefined) {
    return { kind: "refused", message: service.message };
  }
  if (draft.subagentName === undefined) {
    return { kind: "refused", message: "Choose a subagent first." };
  }
  return draft.goal.trim() === ""
    ? { kind: "refused", message: "Write what the subagent should do." }
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
