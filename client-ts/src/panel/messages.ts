import type {
  AsyncTask,
  DefinitionProblem,
  Retrying,
  SendResult,
  SubagentInfo,
  TaskEvent,
  TouchedFile,
} from "../protocol.js";
import type { LaunchProblem } from "../text/launchProblem.js";
import { type Chosen, type Offers, readChosen } from "../offers/offers.js";
import type { FleetOffer } from "../offers/placement.js";
import type { ServiceState } from "../service/service.js";
import type { TaskRef } from "../taskRef.js";
import type { Batch } from "./eventFeed.js";
import type { HistoryPage } from "./listMessages.js";

/** Where a page is: the side bar has the list and the composer, an editor one conversation. */
export type PagePlace = "sideBar" | "editor";

/** One run as the list of conversations shows it: small, whatever the run has produced. */
export interface RunRow extends Pick<
  AsyncTask,
  | "id"
  | "subagentName"
  | "status"
  | "endReason"
  | "queuedAt"
  | "queuePosition"
  | "waiting"
  | "launchedAt"
  | "completedAt"
  | "errorKind"
  | "mode"
  | "model"
  | "effort"
  | "changes"
  | "placement"
> {
  /** The beginning of the goal, on one line. */
  readonly goal: string;
  /** What the user calls it instead. */
  readonly title?: string;
  readonly pinned?: true;
  readonly tags?: readonly string[];
  /** The question that it waits for an answer to. */
  readonly asks?: string;
  /** Who launched it, unless it is this window. */
  readonly from?: string;
  /** The name of its folder, unless it is open in this window. */
  readonly folder?: string;
  /** In USD. */
  readonly cost?: number;
  /** The tool that it runs now. */
  readonly tool?: string;
  readonly retrying?: Retrying;
}

/** How many sessions will be deleted, and within how many days. */
export interface Deletions {
  readonly tasks: number;
  readonly days: number;
}

/** Which side of its events the page requests more for. */
export type PageSide = "before" | "after";

/** What the extension sends to the page. A hidden page receives nothing; `ready` requests it again. */
export type ToWebview =
  | { readonly type: "service"; readonly state: ServiceState }
  /** All runs, newest first; they replace the previous ones. */
  | { readonly type: "runs"; readonly runs: readonly RunRow[] }
  | { readonly type: "run"; readonly run: RunRow }
  | { readonly type: "history"; readonly page: HistoryPage }
  /** Whether runs that the page names open in another page. */
  | { readonly type: "settings"; readonly opensElsewhere: boolean }
  | {
      readonly type: "definitions";
      readonly items: readonly SubagentInfo[];
      /** Why runners cannot be started now, by their names. */
      readonly missing?: Readonly<Record<string, string>>;
      readonly problems: readonly DefinitionProblem[];
    }
  /** The sessions that their own product will delete soon, unless they are hidden. */
  | { readonly type: "deletions"; readonly deletions?: Deletions }
  /** What agents offer, by the names of their runners. */
  | { readonly type: "offers"; readonly offers: Offers }
  /** The cluster, if one is configured. */
  | { readonly type: "fleet"; readonly fleet?: FleetOffer }
  /** The whole of the task that the page follows, and what the user calls it. */
  | {
      readonly type: "task";
      readonly task: AsyncTask;
      readonly takesMessages?: boolean;
      readonly title?: string;
    }
  | { readonly type: "taskMissing"; readonly taskId: string; readonly message: string }
  /** The files that an ended run created, edited or deleted. */
  | { readonly type: "files"; readonly taskId: string; readonly files: readonly TouchedFile[] }
  /** The commands that sign in to the agent of a run that failed for want of it, if any are known. */
  | { readonly type: "signIn"; readonly taskId: string; readonly commands: readonly string[] }
  /** The task that the page follows was deleted; what was sent of it stays readable. */
  | { readonly type: "taskDeleted"; readonly taskId: string }
  /**
   * The next events of the run that the page follows; the page answers `seen`. With `facts`, some
   * earlier events are omitted, and the facts summarize them.
   */
  | ({ readonly type: "events"; readonly taskId: string } & Batch)
  /** The requested events right before or right after one. */
  | {
      readonly type: "page";
      readonly taskId: string;
      readonly side: PageSide;
      readonly seq: number;
      readonly events: readonly TaskEvent[];
    }
  | { readonly type: "launched"; readonly taskId: string }
  /** With the subagents that were not launched, if several were to be. */
  | ({ readonly type: "launchFailed"; readonly left?: readonly string[] } & LaunchProblem)
  /** Files of the open folders that a text after `@` may mean, the best first. */
  | { readonly type: "foundFiles"; readonly text: string; readonly paths: readonly string[] }
  /** How many subagents can run at once; -1 means no limit. */
  | { readonly type: "limit"; readonly max: number }
  /** The user cancelled the launch. */
  | { readonly type: "launchDropped" }
  | { readonly type: "cancelFailed"; readonly taskId: string; readonly message: string }
  /** An answer was refused, for example because another one came first. */
  | {
      readonly type: "answerFailed";
      readonly taskId: string;
      readonly requestId: string;
      readonly message: string;
    }
  | {
      readonly type: "sent";
      readonly taskId: string;
      readonly text: string;
      readonly delivery: SendResult["delivery"];
    }
  | {
      readonly type: "sendFailed";
      readonly taskId: string;
      readonly text: string;
      readonly message: string;
    }
  /** Messages to the agent that were not delivered according to the run's events. */
  | { readonly type: "undelivered"; readonly taskId: string; readonly texts: readonly string[] }
  /** The run continues in another one. */
  | { readonly type: "resumed"; readonly taskId: string; readonly inTaskId: string }
  | ({ readonly type: "resumeFailed"; readonly taskId: string } & LaunchProblem)
  | { readonly type: "open"; readonly taskId: string }
  | { readonly type: "home" }
  | { readonly type: "choose"; readonly subagentName: string }
  | { readonly type: "compose"; readonly subagentName?: string; readonly goal?: string };

/** What the page can make the extension do apart from conversations. */
export const ACTIONS = [
  "runExample",
  "showLog",
  "repair",
  "restart",
  "cancelSetup",
  "manageTrust",
  "openTranscript",
  "openConversation",
  "openStored",
  "chooseDefinition",
  "createDefinition",
  "openRunnerSettings",
  "changeLimit",
  "startNow",
  "stop",
  "answer",
  "resume",
  "signIn",
  "deleteTask",
  "pin",
  "unpin",
  "rename",
  "showAll",
  "clearFilter",
  "keepCopies",
  "hideDeletions",
] as const;
export type Action = (typeof ACTIONS)[number];

/** What the page should show as soon as it is visible. */
export type Navigation = Extract<
  ToWebview,
  {
    type:
      | "open"
      | "home"
      | "compose"
      | "choose"
      | "launched"
      | "launchFailed"
      | "launchDropped"
      | "resumed"
      | "resumeFailed";
  }
>;

/** What the page sends to the extension. */
export type FromWebview =
  | { readonly type: "ready" }
  | { readonly type: "refresh" }
  | { readonly type: "follow"; readonly taskId: string; readonly afterSeq: number }
  | { readonly type: "unfollow" }
  /** The last batch of events is on the screen. */
  | { readonly type: "seen"; readonly taskId: string }
  /** Request events right before or right after the one numbered `seq`. */
  | {
      readonly type: "page";
      readonly taskId: string;
      readonly side: PageSide;
      readonly seq: number;
    }
  | {
      readonly type: "launch";
      readonly subagentName: string;
      /** Others that get the same goal. */
      readonly also?: readonly string[];
      readonly goalPrompt: string;
      readonly queue: boolean;
      /** What the user chose of their agents, by the names of subagents. */
      readonly chosen?: Readonly<Record<string, Chosen>>;
    }
  | { readonly type: "findFiles"; readonly text: string }
  | { readonly type: "cancel"; readonly taskId: string }
  | {
      readonly type: "answer";
      readonly taskId: string;
      readonly requestId: string;
      readonly optionId: string;
    }
  /** Answer a question of the agent; `content` comes with an accepted form. */
  | {
      readonly type: "reply";
      readonly taskId: string;
      readonly requestId: string;
      readonly action: "accept" | "decline";
      readonly content?: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "send"; readonly taskId: string; readonly text: string }
  /** Forget a message that was not delivered. */
  | { readonly type: "forget"; readonly taskId: string; readonly text: string }
  | {
      readonly type: "resume";
      readonly taskId: string;
      readonly text?: string;
      readonly queue: boolean;
    }
  | OpenRequest
  | { readonly type: "moreHistory" }
  /** Learn the labels and free slots of the cluster. */
  | { readonly type: "connectFleet" }
  /** Fill the composer, which is in another page. */
  | { readonly type: "composeWith"; readonly goal: string; readonly subagentName?: string }
  /** With the task that it acts on; a stored one has a root. */
  | { readonly type: "act"; readonly action: Action; readonly task?: TaskRef };

/** What the user wants to open in the editor. Lines count from 1. */
export type OpenRequest =
  /** A file that a run touched. */
  | {
      readonly type: "openFile";
      readonly taskId: string;
      readonly path: string;
      readonly line?: number;
    }
  /** A change shown in a run: the part `index` of the event `seq`. */
  | {
      readonly type: "openDiff";
      readonly taskId: string;
      readonly seq: number;
      readonly index: number;
    }
  /** All changes of a run, or those of one file. */
  | { readonly type: "openChanges"; readonly taskId: string; readonly path?: string }
  | { readonly type: "openDefinition"; readonly path: string; readonly line?: number };

/** Validate an untrusted message of the page; undefined if it is invalid. */
export function readMessage(value: unknown): FromWebview | undefined {
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  const { type, taskId, afterSeq, subagentName, goalPrompt, queue, action } = value as Fields;
  const { requestId, optionId, text, side, seq, task, goal } = value as Fields;
  switch (type) {
    case "ready":
    case "refresh":
    case "unfollow":
    case "moreHistory":
    case "connectFleet":
      return { type };
    case "follow":
      return isText(taskId) && isSeq(afterSeq) ? { type, taskId, afterSeq } : undefined;
    case "seen":
      return isText(taskId) ? { type, taskId } : undefined;
    case "page":
      return isText(taskId) && isSide(side) && isSeq(seq) ? { type, taskId, side, seq } : undefined;
    case "launch":
      return isText(subagentName) && isText(goalPrompt) && typeof queue === "boolean"
        ? { type, subagentName, goalPrompt, queue, ...readLaunchOptions(value) }
        : undefined;
    case "findFiles":
      return typeof text === "string" ? { type, text } : undefined;
    case "composeWith":
      return isText(goal)
        ? { type, goal, ...(isText(subagentName) ? { subagentName } : {}) }
        : undefined;
    case "cancel":
      return isText(taskId) ? { type, taskId } : undefined;
    case "answer":
      return isText(taskId) && isText(requestId) && isText(optionId)
        ? { type, taskId, requestId, optionId }
        : undefined;
    case "reply":
      return readReply(value);
    case "send":
    case "forget":
      return isText(taskId) && isText(text) ? { type, taskId, text } : undefined;
    case "resume":
      return isText(taskId) && typeof queue === "boolean"
        ? { type, taskId, ...(isText(text) ? { text } : {}), queue }
        : undefined;
    case "openFile":
    case "openDiff":
    case "openChanges":
    case "openDefinition":
      return readOpenRequest(type, value);
    case "act":
      return isAction(action) ? { type, action, ...readTask(task) } : undefined;
    default:
      return undefined;
  }
}

type Fields = Partial<
  Record<
    | "type"
    | "taskId"
    | "afterSeq"
    | "subagentName"
    | "goalPrompt"
    | "queue"
    | "action"
    | "requestId"
    | "optionId"
    | "content"
    | "text"
    | "path"
    | "line"
    | "seq"
    | "side"
    | "index"
    | "task"
    | "goal"
    | "also"
    | "chosen",
    unknown
  >
>;

function readLaunchOptions({ also, chosen }: Fields) {
  return {
    ...(isTexts(also) ? { also } : {}),
    ...(chosen === undefined ? {} : { chosen: readChosen(chosen) }),
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function readReply(fields: Fields): FromWebview | undefined {
  const { taskId, requestId, action, content } = fields;
  if (!isText(taskId) || !isText(requestId) || (action !== "accept" && action !== "decline")) {
    return undefined;
  }
  const values = isObject(content) ? { content } : {};
  return { type: "reply", taskId, requestId, action, ...values };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readOpenRequest(type: OpenRequest["type"], fields: Fields): OpenRequest | undefined {
  const { taskId, path, seq, index } = fields;
  const line = isSeq(fields.line) ? { line: fields.line } : {};
  switch (type) {
    case "openFile":
      return isText(taskId) && isText(path) ? { type, taskId, path, ...line } : undefined;
    case "openDiff":
      return isText(taskId) && isSeq(seq) && isSeq(index)
        ? { type, taskId, seq, index }
        : undefined;
    case "openChanges":
      return isText(taskId) ? { type, taskId, ...(isText(path) ? { path } : {}) } : undefined;
    case "openDefinition":
      return isText(path) ? { type, path, ...line } : undefined;
  }
}

function readTask(value: unknown): { task?: TaskRef } {
  const { id, root } = (typeof value === "object" && value !== null ? value : {}) as {
    id?: unknown;
    root?: unknown;
  };
  return isText(id) ? { task: { id, ...(isText(root) ? { root } : {}) } } : {};
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isSide(value: unknown): value is PageSide {
  return value === "before" || value === "after";
}

function isAction(value: unknown): value is Action {
  return (ACTIONS as readonly unknown[]).includes(value);
}
