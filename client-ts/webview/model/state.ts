import type {
  Action as HostAction,
  FromWebview,
  RunRow,
  ToWebview,
} from "../../src/panel/messages.js";
import type { AsyncTask, DefinitionProblem, SubagentInfo } from "../../src/protocol.js";
import type { ServiceState } from "../../src/service.js";
import { itemCount } from "./conversation.js";
import { earlier, type Extent, later, latest, type Range, within } from "./range.js";
import { EMPTY_STREAM, receive, type Stream } from "./stream.js";
import { isLive } from "./words.js";

/** What is being written for the next launch. */
export interface Draft {
  readonly subagentName?: string;
  readonly goal: string;
}

/** Where the launch of the draft stands. */
export type LaunchState =
  | { readonly kind: "idle" }
  | { readonly kind: "sending" }
  | { readonly kind: "refused"; readonly message: string };

/** The conversation on the screen. */
export interface OpenRun {
  readonly taskId: string;
  readonly task?: AsyncTask;
  readonly stream: Stream;
  /** What is shown while the reader is not at the end; undefined follows the end. */
  readonly reading?: Range;
  /** Why the task or its cancel could not be had. */
  readonly problem?: string;
}

/** All the page shows. */
export interface State {
  readonly service: ServiceState;
  readonly definitions?: {
    readonly items: readonly SubagentInfo[];
    readonly problems: readonly DefinitionProblem[];
  };
  /** Newest first. Undefined until the extension has told. */
  readonly runs?: readonly RunRow[];
  /** The row of the list that the keyboard is on. */
  readonly current?: string;
  readonly open?: OpenRun;
  readonly cancelling: ReadonlySet<string>;
  readonly draft: Draft;
  readonly launch: LaunchState;
}

/** What happens to the state: the extension tells something, or the reader does something. */
export type Event =
  | ToWebview
  | { readonly type: "write"; readonly goal: string }
  | { readonly type: "choose"; readonly subagentName: string }
  | { readonly type: "submit" }
  | { readonly type: "openRun"; readonly taskId: string }
  | { readonly type: "closeRun" }
  | { readonly type: "focusRun"; readonly taskId: string }
  | { readonly type: "cancelRun" }
  | { readonly type: "launchAgain" }
  | { readonly type: "leaveEnd" }
  | { readonly type: "earlier" }
  | { readonly type: "later" }
  | { readonly type: "jumpToEnd" }
  | { readonly type: "reachEnd" }
  | { readonly type: "act"; readonly action: HostAction };

export const INITIAL: State = {
  service: { kind: "idle" },
  cancelling: new Set(),
  draft: { goal: "" },
  launch: { kind: "idle" },
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
    case "definitions":
      return withDefinitions(state, event.items, event.problems);
    case "launched":
      return opened(
        { ...state, launch: { kind: "idle" }, draft: emptied(state.draft) },
        event.taskId,
      );
    case "launchFailed":
      return { ...state, launch: { kind: "refused", message: event.message } };
    case "open":
    case "openRun":
      return opened(state, event.taskId);
    case "home":
    case "closeRun":
      return closed(state);
    case "focusRun":
      return state.current === event.taskId ? state : { ...state, current: event.taskId };
    case "compose":
      return composing(state, event.subagentName);
    case "write":
      return { ...state, draft: { ...state.draft, goal: event.goal }, launch: { kind: "idle" } };
    case "choose":
      return { ...state, draft: { ...state.draft, subagentName: event.subagentName } };
    case "submit":
      return submitted(state);
    case "launchAgain":
      return launchingAgain(state);
    case "act":
      return state;
    default:
      return state.open === undefined ? state : withOpen(state, state.open, event);
  }
}

/** What the extension must be asked because the state became what it is. Pure. */
export function requestsOf(before: State, after: State, event: Event): FromWebview[] {
  const taskId = after.open?.taskId;
  if (event.type === "act") {
    return [{ type: "act", action: event.action, ...(taskId === undefined ? {} : { taskId }) }];
  }
  if (event.type === "submit" && after.launch.kind === "sending") {
    const { subagentName = "", goal } = after.draft;
    return before.launch.kind === "sending"
      ? []
      : [{ type: "launch", subagentName, goalPrompt: goal }];
  }
  if (event.type === "cancelRun" && taskId !== undefined) {
    return before.cancelling.has(taskId) ? [] : [{ type: "cancel", taskId }];
  }
  return followRequests(before.open, after.open);
}

/** What there is to show of an open run. */
export function extentOf({ stream: { conversation } }: OpenRun): Extent {
  return { start: conversation.dropped, end: itemCount(conversation) };
}

/** What is shown of it. */
export function shownOf(open: OpenRun): Range {
  const extent = extentOf(open);
  return open.reading === undefined ? latest(extent) : within(open.reading, extent);
}

/** The definitions one can launch: those that no other shadows. */
export function launchable({ definitions }: State): readonly SubagentInfo[] {
  return definitions?.items.filter(({ shadowedBy }) => shadowedBy === undefined) ?? [];
}

function followRequests(before: OpenRun | undefined, after: OpenRun | undefined): FromWebview[] {
  if (after === undefined) {
    return before === undefined ? [] : [{ type: "unfollow" }];
  }
  const { taskId, stream } = after;
  const follow: FromWebview = { type: "follow", taskId, afterSeq: stream.lastSeq };
  if (before?.taskId !== taskId) {
    return [follow];
  }
  const gapAppeared = stream.waiting.size > 0 && before.stream.waiting.size === 0;
  return gapAppeared ? [follow] : [];
}

function withRun(state: State, run: RunRow): State {
  const runs = state.runs ?? [];
  const known = runs.some(({ id }) => id === run.id);
  const next = known ? runs.map((row) => (row.id === run.id ? run : row)) : [run, ...runs];
  return { ...state, runs: next, cancelling: settled(state.cancelling, run) };
}

function settled(cancelling: ReadonlySet<string>, run: RunRow): ReadonlySet<string> {
  return isLive(run) ? cancelling : without(cancelling, run.id);
}

function without(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...set].filter((other) => other !== id));
}

function withDefinitions(
  state: State,
  items: readonly SubagentInfo[],
  problems: readonly DefinitionProblem[],
): State {
  const next = { ...state, definitions: { items, problems } };
  const names = launchable(next).map(({ name }) => name);
  const chosen = state.draft.subagentName;
  const [first] = names;
  if (first === undefined || (chosen !== undefined && names.includes(chosen))) {
    return next;
  }
  return { ...next, draft: { ...state.draft, subagentName: first } };
}

function opened(state: State, taskId: string): State {
  return state.open?.taskId === taskId
    ? state
    : { ...state, current: taskId, open: { taskId, stream: EMPTY_STREAM } };
}

function closed(state: State): State {
  return omit(state, "open");
}

function composing(state: State, subagentName: string | undefined): State {
  const draft = subagentName === undefined ? state.draft : { ...state.draft, subagentName };
  return closed({ ...state, draft });
}

function emptied(draft: Draft): Draft {
  return { ...draft, goal: "" };
}

function submitted(state: State): State {
  const { subagentName, goal } = state.draft;
  const refuse = (message: string): State => ({ ...state, launch: { kind: "refused", message } });
  if (state.launch.kind === "sending") {
    return state;
  }
  if (subagentName === undefined) {
    return refuse("Choose a subagent first.");
  }
  return goal.trim() === ""
    ? refuse("Say what the subagent is to do.")
    : { ...state, launch: { kind: "sending" } };
}

function launchingAgain(state: State): State {
  const task = state.open?.task;
  if (task === undefined) {
    return state;
  }
  const draft = { subagentName: task.subagentName, goal: task.goalPrompt };
  return closed({ ...state, draft, launch: { kind: "idle" } });
}

type OpenEvent = Extract<
  Event,
  {
    type:
      | "task"
      | "taskMissing"
      | "events"
      | "cancelFailed"
      | "cancelRun"
      | "leaveEnd"
      | "earlier"
      | "later"
      | "jumpToEnd"
      | "reachEnd";
  }
>;

function withOpen(state: State, open: OpenRun, event: OpenEvent): State {
  const change = (changes: Partial<OpenRun>): State => ({
    ...state,
    open: { ...open, ...changes },
  });
  switch (event.type) {
    case "task":
      return event.task.id === open.taskId
        ? { ...state, open: { ...omit(open, "problem"), task: event.task } }
        : state;
    case "taskMissing":
      return event.taskId === open.taskId ? change({ problem: event.message }) : state;
    case "events":
      return event.taskId === open.taskId
        ? change({ stream: receive(open.stream, event.events) })
        : state;
    case "cancelRun":
      return {
        ...state,
        open: omit(open, "problem"),
        cancelling: new Set([...state.cancelling, open.taskId]),
      };
    case "cancelFailed":
      return {
        ...(event.taskId === open.taskId ? change({ problem: event.message }) : state),
        cancelling: without(state.cancelling, event.taskId),
      };
    case "leaveEnd":
      return open.reading === undefined ? change({ reading: shownOf(open) }) : state;
    case "earlier":
      return change({ reading: earlier(shownOf(open), extentOf(open)) });
    case "later":
      return change({ reading: later(shownOf(open), extentOf(open)) });
    case "jumpToEnd":
      return { ...state, open: omit(open, "reading") };
    case "reachEnd":
      return open.reading === undefined ? state : { ...state, open: pastShown(open) };
  }
}

/** What the end of the items shown is followed by: further items or, at the last, the end itself. */
function pastShown(open: OpenRun): OpenRun {
  const extent = extentOf(open);
  const shown = shownOf(open);
  return shown.end === extent.end
    ? omit(open, "reading")
    : { ...open, reading: later(shown, extent) };
}

/** A copy without a member that need not be there. */
function omit<T extends object, K extends keyof T>(value: T, key: K): Omit<T, K> {
  const copy = { ...value };
  Reflect.deleteProperty(copy, key);
  return copy;
}
