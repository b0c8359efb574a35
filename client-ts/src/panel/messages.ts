import type {
  AsyncTask,
  DefinitionProblem,
  Retrying,
  SendResult,
  SubagentInfo,
  TaskEvent,
} from "../protocol.js";
import type { LaunchProblem } from "../text/launchProblem.js";
import type { ServiceState } from "../service/service.js";
import type { Batch } from "./eventFeed.js";

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
  | "changes"
> {
  /** The beginning of the goal, on one line. */
  readonly goal: string;
  /** The question that it waits for an answer to. */
  readonly asks?: string;
  /** Who launched it, unless it is this window. */
  readonly from?: string;
  readonly retrying?: Retrying;
}

/** Which side of its events the page requests more for. */
export type PageSide = "before" | "after";

/** What the extension sends to the page. A hidden page receives nothing; `ready` requests it again. */
export type ToWebview =
  | { readonly type: "service"; readonly state: ServiceState }
  /** All runs, newest first; they replace the previous ones. */
  | { readonly type: "runs"; readonly runs: readonly RunRow[] }
  | { readonly type: "run"; readonly run: RunRow }
  | {
      readonly type: "definitions";
      readonly items: readonly SubagentInfo[];
      /** Why runners cannot be started now, by their names. */
      readonly missing?: Readonly<Record<string, string>>;
      readonly problems: readonly DefinitionProblem[];
    }
  /** The whole of the task that the page follows. */
  | { readonly type: "task"; readonly task: AsyncTask; readonly takesMessages?: boolean }
  | { readonly type: "taskMissing"; readonly taskId: string; readonly message: string }
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
  | ({ readonly type: "launchFailed" } & LaunchProblem)
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
  | { readonly type: "compose"; readonly subagentName?: string };

/** What the page can make the extension do apart from conversations. */
export const ACTIONS = [
  "runExample",
  "showLog",
  "repair",
  "restart",
  "manageTrust",
  "openTranscript",
  "chooseDefinition",
  "createDefinition",
  "openRunnerSettings",
  "changeLimit",
  "startNow",
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
      readonly goalPrompt: string;
      readonly queue: boolean;
    }
  | { readonly type: "cancel"; readonly taskId: string }
  | {
      readonly type: "answer";
      readonly taskId: string;
      readonly requestId: string;
      readonly optionId: string;
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
  | { readonly type: "act"; readonly action: Action; readonly taskId?: string };

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
  | { readonly type: "openDefinition"; readonly path: string; readonly line?: number };

/** Validate an untrusted message of the page; undefined if it is invalid. */
export function readMessage(value: unknown): FromWebview | undefined {
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  const { type, taskId, afterSeq, subagentName, goalPrompt, queue, action } = value as Fields;
  const { requestId, optionId, text, side, seq } = value as Fields;
  switch (type) {
    case "ready":
    case "refresh":
    case "unfollow":
      return { type };
    case "follow":
      return isText(taskId) && isSeq(afterSeq) ? { type, taskId, afterSeq } : undefined;
    case "seen":
      return isText(taskId) ? { type, taskId } : undefined;
    case "page":
      return isText(taskId) && isSide(side) && isSeq(seq) ? { type, taskId, side, seq } : undefined;
    case "launch":
      return isText(subagentName) && isText(goalPrompt) && typeof queue === "boolean"
        ? { type, subagentName, goalPrompt, queue }
        : undefined;
    case "cancel":
      return isText(taskId) ? { type, taskId } : undefined;
    case "answer":
      return isText(taskId) && isText(requestId) && isText(optionId)
        ? { type, taskId, requestId, optionId }
        : undefined;
    case "send":
    case "forget":
      return isText(taskId) && isText(text) ? { type, taskId, text } : undefined;
    case "resume":
      return isText(taskId) && typeof queue === "boolean"
        ? { type, taskId, ...(isText(text) ? { text } : {}), queue }
        : undefined;
    case "openFile":
    case "openDiff":
    case "openDefinition":
      return readOpenRequest(type, value);
    case "act":
      return isAction(action) ? { type, action, ...(isText(taskId) ? { taskId } : {}) } : undefined;
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
    | "text"
    | "path"
    | "line"
    | "seq"
    | "side"
    | "index",
    unknown
  >
>;

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
    case "openDefinition":
      return isText(path) ? { type, path, ...line } : undefined;
  }
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
