import type { FromWebview, LaunchAnswer, Opening, Whereabouts } from "../../src/panel/messages.js";
import type { Event } from "./events.js";
import { againWith } from "./composing.js";
import { chosenFor, needsFleet } from "./composer/choices.js";
import { continuation } from "./continuation.js";
import { followsEnd, type OpenRun, pageEndOf } from "./openRun.js";
import { formRequests } from "./questions/drafts.js";
import { speechTo, takenTexts } from "./speech.js";
import type { State } from "./state.js";
import { hasAfter } from "./conversation/stream.js";

/** Return the requests to the extension that follow from an event. Pure. */
export function requestsOf(before: State, after: State, event: Event): FromWebview[] {
  return [...answersTo(before, after, event), ...findRequests(before.open, after.open)];
}

/** Read on for the search, and request the page of a match that is not loaded. */
function findRequests(before: OpenRun | undefined, after: OpenRun | undefined): FromWebview[] {
  if (after?.find === undefined) {
    return [];
  }
  const { taskId, returning, find } = after;
  const reads = find.reading !== undefined && find.reading !== before?.find?.reading;
  const jumps = find.isRevealing && returning !== undefined && returning !== before?.returning;
  return [
    ...(reads ? [{ type: "read" as const, taskId, seq: find.reading }] : []),
    ...(jumps ? jumpRequests(after, returning) : []),
  ];
}

function answersTo(before: State, after: State, event: Event): FromWebview[] {
  switch (event.type) {
    case "act":
      return [{ type: "act", action: event.action, ...taskOf(event, after) }];
    case "openRun":
      return after.opensElsewhere
        ? [opening(event.taskId)]
        : followRequests(before.open, after.open);
    case "launched":
    case "launchFailed":
    case "launchDropped":
      return [...launchedRequests(before, after, event), { type: "noted" }];
    case "launchAgain":
      return launchAgainRequests(after);
    case "continueWith":
      return [{ type: "composeWith", goal: continuation(after) }];
    case "needMore":
    case "seekEnd":
      return !before.list.isLoading && after.list.isLoading ? [{ type: "moreHistory" }] : [];
    case "history":
      return after.list.isLoading ? [{ type: "moreHistory" }] : [];
    case "look":
      return [{ type: "refresh" }];
    case "restarted":
      return event.taskId === after.open?.taskId ? startRequests(after.open) : [];
    case "attach":
    case "openFile":
    case "openDiff":
    case "openChanges":
    case "openDefinition":
    case "insertCode":
    case "useAgent":
    case "applyCode":
      return [event];
    case "answer":
      return answerRequests(before, event);
    case "fillIn":
    case "sendForm":
    case "refuseForm":
      return formRequests(after.forms, before.open, event);
    case "sendMessage":
      return sendRequests(before, after, event.taskId);
    case "sendAgain":
    case "discard":
    case "beginResume":
      return forgetRequests(before, after, event.taskId);
    case "resume":
    case "queueResume":
      return resumeRequests(before, event.taskId, event.type === "queueResume");
    case "setChoice":
      return needsFleet(after, event) ? [{ type: "connectFleet" }] : [];
    case "write":
      return fileRequests(before, event);
    case "submit":
    case "queue":
      return launchRequests(before, after);
    case "cancelRun":
      return cancelRequests(before, after);
    case "jumpTo":
      return jumpRequests(after.open, event.seq);
    case "toQuestion":
      return after.open?.sought === undefined
        ? followRequests(before.open, after.open)
        : jumpRequests(after.open, event.seq ?? 0);
    case "events":
      return [
        ...(event.taskId === after.open?.taskId ? takenRequests(after.open) : []),
        ...followRequests(before.open, after.open),
      ];
    default:
      return followRequests(before.open, after.open);
  }
}

/** Show what was launched; what comes late is only listed. */
function launchedRequests(
  before: State,
  after: State,
  event: Extract<Event, { type: LaunchAnswer["type"] }>,
): FromWebview[] {
  if (event.isLate === true || event.type === "launchDropped") {
    return [];
  }
  if (!after.opensElsewhere) {
    return followRequests(before.open, after.open);
  }
  const isAway = event.isAway === true || after.draft.goal !== ""; // The user writes the next goal.
  return event.type === "launched"
    ? openings([event.taskId, ...(event.others ?? [])], { isAway })
    : openings(event.launched ?? [], event);
}

/** Open conversations side by side, the first of them with the focus. */
function openings(taskIds: readonly string[], { isAway = false }: Whereabouts): FromWebview[] {
  const away = isAway ? { isAway } : {};
  const [first, ...others] = taskIds;
  if (first === undefined) {
    return [];
  }
  const next = others.map((id) => opening(id, { ...away, toSide: true }));
  return [opening(first, away), ...next, ...(others.length > 0 ? [opening(first, away)] : [])];
}

function opening(id: string, how: Opening = {}): FromWebview {
  return { type: "act", action: "openConversation", task: { id }, ...how };
}

/** Find the files that a text may mean, once for each text. */
function fileRequests(
  { mention: before }: State,
  { mention }: Extract<Event, { type: "write" }>,
): FromWebview[] {
  const isKnown = before?.kind === "file" && before.text === mention?.text;
  return mention?.kind === "file" && !isKnown ? [{ type: "findFiles", text: mention.text }] : [];
}

function launchAgainRequests({ open, place }: State): FromWebview[] {
  const task = open?.task;
  return place === "editor" && task !== undefined
    ? [{ type: "composeWith", goal: task.goalPrompt, ...againWith(task, {}) }]
    : [];
}

function taskOf(
  { task }: Extract<Event, { type: "act" }>,
  { open }: State,
): Pick<Extract<FromWebview, { type: "act" }>, "task"> {
  return task !== undefined ? { task } : open === undefined ? {} : { task: { id: open.taskId } };
}

function launchRequests(before: State, after: State): FromWebview[] {
  const { launch, draft } = after;
  const { subagentName, goal: goalPrompt, also, files } = draft;
  if (before.launch.kind === "sending" || launch.kind !== "sending" || subagentName === undefined) {
    return [];
  }
  const others = { ...(also && { also }), ...(files && { files }) };
  const chosen = chosenFor(after, [subagentName, ...(also ?? [])]);
  const choices = Object.keys(chosen).length === 0 ? {} : { chosen };
  return [{ type: "launch", subagentName, ...others, goalPrompt, queue: launch.queue, ...choices }];
}

function cancelRequests(before: State, { open }: State): FromWebview[] {
  return open === undefined || before.cancelling.has(open.taskId)
    ? []
    : [{ type: "cancel", taskId: open.taskId }];
}

function answerRequests(
  { open }: State,
  { requestId, optionId }: Extract<Event, { type: "answer" }>,
): FromWebview[] {
  return open === undefined || open.answering.has(requestId)
    ? []
    : [{ type: "answer", taskId: open.taskId, requestId, optionId }];
}

function sendRequests(before: State, after: State, taskId: string): FromWebview[] {
  return before.speeches === after.speeches
    ? []
    : [{ type: "send", taskId, text: speechTo(before.speeches, taskId).text }];
}

/** Forget queued messages that are being edited or were discarded. */
function forgetRequests(before: State, after: State, taskId: string): FromWebview[] {
  const left = takenTexts(speechTo(after.speeches, taskId));
  return takenTexts(speechTo(before.speeches, taskId))
    .filter((text) => !left.includes(text))
    .map((text) => ({ type: "forget", taskId, text }));
}

function resumeRequests({ speeches }: State, taskId: string, queue: boolean): FromWebview[] {
  const { resume, text } = speechTo(speeches, taskId);
  const words = text.trim() === "" ? {} : { text };
  return resume === "sending" ? [] : [{ type: "resume", taskId, ...words, queue }];
}

function followRequests(before: OpenRun | undefined, after: OpenRun | undefined): FromWebview[] {
  if (after === undefined) {
    return before === undefined ? [] : [{ type: "unfollow" }, { type: "refresh" }];
  }
  const { taskId, stream } = after;
  if (before?.taskId !== taskId) {
    return [{ type: "follow", taskId, afterSeq: stream.lastSeq }];
  }
  const released = before.stream.held !== undefined && stream.held === undefined;
  return [
    ...pageRequests(before, after),
    ...(released ? takenRequests(after) : []),
    ...restRequests(before, after),
  ];
}

/** Follow a task from its first event, and request the page to which the reader returns. */
function startRequests(open: OpenRun): FromWebview[] {
  const { taskId, returning } = open;
  const page = returning === undefined ? [] : jumpRequests(open, returning);
  return [...page, { type: "follow", taskId, afterSeq: 0 }];
}

/** Request the page for a jump to what is not loaded. */
function jumpRequests(open: OpenRun | undefined, seq: number): FromWebview[] {
  return open?.returning === seq
    ? [{ type: "page", taskId: open.taskId, side: "before", seq: pageEndOf(seq) }]
    : [];
}

function pageRequests(before: OpenRun, { taskId, loading, stream }: OpenRun): FromWebview[] {
  if (loading === undefined || before.loading === loading) {
    return [];
  }
  const seq = loading === "before" ? (stream.events[0]?.seq ?? 1) : stream.lastSeq;
  return [{ type: "page", taskId, side: loading, seq }];
}

/** Request the next batch once the last one is shown. */
function takenRequests({ taskId, stream }: OpenRun): FromWebview[] {
  return stream.held === undefined ? [{ type: "seen", taskId }] : [];
}

/** Request the events that were dropped at the end, for a reader who is there again. */
function restRequests(before: OpenRun, after: OpenRun): FromWebview[] {
  const { taskId, stream } = after;
  return !followsEnd(before) && followsEnd(after) && hasAfter(stream)
    ? [{ type: "follow", taskId, afterSeq: stream.lastSeq }]
    : [];
}
