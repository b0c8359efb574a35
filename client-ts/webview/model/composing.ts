import { isExample } from "../../src/exampleNames.js";
import type { AsyncTask } from "../../src/protocol.js";
import { omit } from "../../src/util/omit.js";
import { COMPOSER } from "../text/strings.js";
import type { Event } from "./events.js";
import { runKey } from "./list/listState.js";
import { listing, opened } from "./opening.js";
import { lacksNext } from "./continuation.js";
import {
  commandsOf,
  isExampleChosen,
  launchProblem,
  type LaunchState,
  type State,
} from "./state.js";
import { attachedAfter } from "./composer/attachments.js";
import { type ChoiceEvent, withChoice } from "./composer/choices.js";
import { reduceMention } from "./composer/mention.js";
import { type Draft, isOtherGoal, unsentOf } from "./composer/draft.js";

type ComposerEvent = Extract<
  Event,
  {
    type:
      | "launched"
      | "launchFailed"
      | "launchDropped"
      | "launching"
      | "queue"
      | "write"
      | "choose"
      | "alsoUse"
      | "submit"
      | "compose"
      | "launchAgain"
      | "addToGoal"
      | "attached"
      | "attachFailed"
      | "detach";
  }
>;

type LaunchedEvent = Extract<Event, { type: "launched" }>;
type FailedEvent = Extract<Event, { type: "launchFailed" }>;

/** Apply an event to the draft and the progress of its launch. */
export function composing(state: State, event: ComposerEvent): State {
  const { draft, launch } = state;
  switch (event.type) {
    case "write":
      return {
        ...state,
        draft: { ...draft, goal: event.goal },
        launch: withoutRefusal(launch),
      };
    case "choose":
      return {
        ...state,
        draft: using({ ...draft, subagentName: event.subagentName }),
        launch: withoutRefusal(launch),
      };
    case "alsoUse":
      return { ...state, draft: using(draft, event) };
    case "submit":
    case "queue":
      return launch.kind === "sending"
        ? state
        : { ...state, launch: submitted(state, event.type === "queue") };
    case "launched":
      return launched(
        { ...state, launch: ended(launch), draft: unsentOf(draft, event.sent) },
        event,
      );
    case "launchFailed":
      return failed(state, event);
    case "launchDropped":
      return { ...state, launch: ended(launch) };
    case "launching":
      return launch.kind === "sending"
        ? state
        : { ...state, launch: { kind: "sending", queue: false } };
    case "compose":
      return omit({ ...state, draft: { ...draft, ...omit(event, "type") } }, "open");
    case "launchAgain":
      return launchingAgain(state);
    case "addToGoal":
      return omit(
        { ...state, draft: { ...draft, goal: withMore(draft.goal, event.text) } },
        "open",
      );
    case "attached":
    case "detach":
      return {
        ...state,
        draft: withFiles(draft, attachedAfter(draft.files ?? [], event)),
        launch: withoutRefusal(launch),
      };
    case "attachFailed":
      return { ...state, launch: withProblem(launch, event.message) };
  }
}

/** Show why a file is not attached; a launch that is being sent stays the only one. */
function withProblem(launch: LaunchState, message: string): LaunchState {
  return launch.kind === "sending" ? { ...launch, message } : { kind: "refused", message };
}

/** Return the state after a launch; what could not be attached meanwhile is still missing. */
function ended(launch: LaunchState): LaunchState {
  return launch.kind === "sending" && launch.message !== undefined
    ? { kind: "refused", message: launch.message }
    : { kind: "idle" };
}

/** What is launched is different now, so that it may not be refused. */
function withoutRefusal(launch: LaunchState): LaunchState {
  switch (launch.kind) {
    case "refused":
      return { kind: "idle" };
    case "sending":
      return omit(launch, "message");
    default:
      return launch;
  }
}

function withFiles(draft: Draft, files: readonly string[]): Draft {
  return files.length === 0 ? omit(draft, "files") : { ...draft, files };
}

/** Return a goal with something at its end, ready for what is typed next. */
function withMore(goal: string, text: string): string {
  return `${goal}${/\S$/u.test(goal) ? " " : ""}${text} `;
}

/** Choose something of the agent that the composer is about to launch. */
export function choosing(state: State, event: ChoiceEvent): State {
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

/** Show why a launch failed. If the user is writing another goal, it stays, and the one that failed is named. */
function failed(state: State, event: FailedEvent): State {
  const { draft, launch } = state;
  const { message, sent, left, canQueue, setting } = event;
  const isOther = isOtherGoal(draft, sent);
  const earlier = launch.kind === "sending" ? launch.message : undefined;
  const now = isOther ? COMPOSER.notLaunched(sent.goalPrompt, message) : message;
  return {
    ...state,
    draft: isOther ? draft : leftOf(draft, left),
    launch: {
      kind: "refused",
      message: earlier === undefined ? now : `${now}\n${earlier}`,
      canQueue: canQueue && !isOther,
      ...(setting && { setting }),
    },
  };
}

/** Show what was launched, but only its row if the user is elsewhere by now: nothing opens by itself. */
function launched(state: State, { taskId, isLate = false }: LaunchedEvent): State {
  return state.opensElsewhere || isLate || state.draft.goal !== ""
    ? listing(state, { type: "focusRow", key: runKey({ id: taskId }) })
    : opened(state, taskId);
}

/** Send the draft, or refuse it. While the sidecar starts, the launch waits for it. */
function submitted(state: State, queue: boolean): LaunchState {
  const { draft, service } = state;
  const problem = launchProblem(state);
  if (problem !== undefined) {
    return { kind: "refused", message: problem };
  }
  if (draft.subagentName === undefined) {
    const message = service.kind === "running" ? COMPOSER.noSubagent : COMPOSER.starting;
    return { kind: "refused", message };
  }
  if (isExampleChosen(state) && draft.goal.trim() !== "") {
    return { kind: "refused", message: COMPOSER.onlyExample };
  }
  if (lacksNext(draft.goal)) {
    return { kind: "refused", message: COMPOSER.noNext };
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
  const draft = { ...againWith(task, state.draft), goal: task.goalPrompt };
  return omit({ ...state, draft, launch: withoutRefusal(state.launch) }, "open");
}

/** Return the subagent of a run for its goal; that of the example needs another one. */
export function againWith(
  task: Pick<AsyncTask, "runner" | "subagentName">,
  { subagentName }: Partial<Draft>,
): Pick<Draft, "subagentName"> {
  const name = isExample(task) ? subagentName : task.subagentName;
  return name === undefined ? {} : { subagentName: name };
}

/** Apply an event to the file or command that the user is naming. */
export function mentioning(state: State, event: Parameters<typeof reduceMention>[1]): State {
  const mention = reduceMention(state.mention, event, commandsOf(state));
  if (mention === state.mention) {
    return state;
  }
  return mention === undefined ? omit(state, "mention") : { ...state, mention };
}
