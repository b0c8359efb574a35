import type { RunRow } from "../../src/panel/listMessages.js";
import type { FleetOffer } from "../../src/offers/placement.js";
import { isExample } from "../../src/exampleNames.js";
import { isLive } from "../../src/text/outcome.js";
import { newestRuns } from "../../src/runs/newestRuns.js";
import { omit, without } from "../../src/util/omit.js";
import { choosing, composing, mentioning } from "./composing.js";
import type { Event, OpenEvent } from "./events.js";
import { reduceFind } from "./finding.js";
import { runKey } from "./list/listState.js";
import { listing, opened } from "./opening.js";
import { reduceOpen } from "./reduceOpen.js";
import { type FormEvent, isComplete, reduceDrafts } from "./questions/drafts.js";
import { withoutSettled } from "./settled.js";
import { reduceSpeeches, type SpeechEvent } from "./speech.js";
import { type Definitions, launchable, type State } from "./state.js";

/** Apply an event to the state. Pure. */
export function reduce(state: State, event: Event): State {
  return withoutSettled(state, reduced(state, event), event);
}

function reduced(state: State, event: Event): State {
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
      return { ...state, offers: event.offers, installed: event.agents };
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
    case "changes":
    case "front":
    case "toggleGroup":
    case "moveTo":
    case "focusRow":
    case "select":
    case "listScrolled":
    case "drawAhead":
    case "needMore":
    case "seekEnd":
      return listing(state, event);
    case "cancelRun":
    case "cancelFailed":
      return cancelChanged(state, event);
    case "launched":
    case "launchFailed":
    case "launchDropped":
    case "launching":
    case "queue":
    case "choose":
    case "alsoUse":
    case "submit":
    case "compose":
    case "launchAgain":
    case "addToGoal":
    case "attached":
    case "attachFailed":
    case "detach":
      return composing(omit(state, "mention"), event);
    case "write":
      return mentioning(composing(state, event), event);
    case "foundFiles":
    case "pointMention":
    case "dismissMention":
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
    case "addToMessage":
      return speaking(
        state.open?.taskId === event.taskId ? state : opened(state, event.taskId),
        event,
      );
    case "resumed":
      return opened(speaking(state, event), event.inTaskId);
    case "events":
      return withOpen(speaking(state, event), event);
    case "fillIn":
    case "sendForm":
    case "refuseForm":
      return filling(state, event);
    case "act":
    case "focusList":
    case "attach":
    case "picture":
    case "continueWith":
    case "look":
    case "openFile":
    case "openDiff":
    case "openChanges":
    case "openDefinition":
    case "insertCode":
    case "useAgent":
    case "applyCode":
      return state;
    default:
      return withOpen(state, event);
  }
}

function withFleet(state: State, fleet: FleetOffer | undefined): State {
  return fleet === undefined ? omit(state, "fleet") : { ...state, fleet };
}

/** Forget the run that the side bar showed, if runs now open in editors. */
function withSettings(state: State, opensElsewhere: boolean): State {
  const next = { ...state, opensElsewhere };
  return opensElsewhere && state.place === "sideBar" ? omit(next, "open") : next;
}

function withOpen(state: State, event: OpenEvent): State {
  const open = state.open && reduceFind(state.open, reduceOpen(state.open, event), event);
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
  return { ...state, runs: newestRuns(next), cancelling };
}

/**
 * Keep the chosen definition if it still exists, else choose the one used last. The example is left
 * for any other one, since it can't work on the user's goals.
 */
function withDefinitions(state: State, { items, problems, missing = {} }: Definitions): State {
  const next = { ...state, definitions: { items, problems, missing } };
  const real = launchable(next).filter((each) => !isExample(each));
  const names = (real.length > 0 ? real : launchable(next)).map(({ name }) => name);
  const used = (state.runs ?? []).map(({ subagentName }) => subagentName);
  const [name] = [state.draft.subagentName ?? "", ...used, ...names].filter((each) =>
    names.includes(each),
  );
  return name === undefined ? next : { ...next, draft: { ...state.draft, subagentName: name } };
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
