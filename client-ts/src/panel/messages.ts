import type {
  AsyncTask,
  DefinitionProblem,
  Retrying,
  SendResult,
  SubagentInfo,
  TaskEvent,
} from "../protocol.js";
import type { LaunchFault } from "../text/launchFault.js";
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
  | "launchedAt"
  | "completedAt"
  | "errorKind"
  | "mode"
  | "model"
  | "changes"
> {
  /** The beginning of the goal, on one line. */
  readonly goal: string;
  /** What it waits to be answered. */
  readonly asks?: string;
  readonly retrying?: Retrying;
}

/** Where further events lie, seen from those that the page has. */
export type PageSide = "before" | "after";

/** What the extension tells the page. A hidden page gets nothing; `ready` asks for it all again. */
export type ToWebview =
  | { readonly type: "service"; readonly state: ServiceState }
  /** All runs, newest first: they replace whatever the page had. */
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
  /**
   * The next events of the run that the page follows; the page answers `seen`. With `facts` some
   * before these are left out, and the facts are what remains of them.
   */
  | ({ readonly type: "events"; readonly taskId: string } & Batch)
  /** Events right before or right after one that the page has: what it asked for. */
  | {
      readonly type: "page";
      readonly taskId: string;
      readonly side: PageSide;
      readonly seq: number;
      readonly events: readonly TaskEvent[];
    }
  | { readonly type: "launched"; readonly taskId: string }
  | ({ readonly type: "launchFailed" } & LaunchFault)
  /** How many subagents may run at once; -1 is no limit. */
  | { readonly type: "limit"; readonly max: number }
  /** The user changed their mind on the way. */
  | { readonly type: "launchDropped" }
  | { readonly type: "cancelFailed"; readonly taskId: string; readonly message: string }
  /** An answer did not count, as when another one came before it. */
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
  /** What was sent to the agent and, as far as its run's events show, not delivered. */
  | { readonly type: "undelivered"; readonly taskId: string; readonly texts: readonly string[] }
  /** The work of the run goes on in another one. */
  | { readonly type: "resumed"; readonly taskId: string; readonly inTaskId: string }
  | ({ readonly type: "resumeFailed"; readonly taskId: string } & LaunchFault)
  | { readonly type: "open"; readonly taskId: string }
  | { readonly type: "home" }
  | { readonly type: "choose"; readonly subagentName: string }
  | { readonly type: "compose"; readonly subagentName?: string };

/** What the page may have the extension do beyond its own conversations. */
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
] as const;
export type Action = (typeof ACTIONS)[number];

/** What the page is to show though it may not be there right now. */
export type Shown = Extract<
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

/** What the page asks of the extension. */
export type FromWebview =
  | { readonly type: "ready" }
  | { readonly type: "refresh" }
  | { readonly type: "follow"; readonly taskId: string; readonly afterSeq: number }
  | { readonly type: "unfollow" }
  /** The last batch of events is on the screen. */
  | { readonly type: "seen"; readonly taskId: string }
  /** Events right before or right after the one numbered `seq`. */
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
  /** A message that was not delivered was taken back, or is being written again. */
  | { readonly type: "forget"; readonly taskId: string; readonly text: string }
  | {
      readonly type: "resume";
      readonly taskId: string;
      readonly text?: string;
      readonly queue: boolean;
    }
  | Look
  | { readonly type: "act"; readonly action: Action; readonly taskId?: string };

/** What a reader may look at in the editor. Lines count from 1. */
export type Look =
  /** A file that a run touched. */
  | {
      readonly type: "openFile";
      readonly taskId: string;
      readonly path: string;
      readonly line?: number;
    }
  /** A change that a run showed: the part `index` of what the event `seq` tells. */
  | {
      readonly type: "openDiff";
      readonly taskId: string;
      readonly seq: number;
      readonly index: number;
    }
  | { readonly type: "openDefinition"; readonly path: string; readonly line?: number };

/** Check a message of the page as one from a stranger; undefined if it is none of ours. */
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
      return readLook(type, value);
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

function readLook(type: Look["type"], fields: Fields): Look | undefined {
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
