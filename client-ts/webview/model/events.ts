import type { Action, OpenRequest, ToWebview } from "../../src/panel/messages.js";
import type { Range } from "./range.js";
import type { Seen } from "./seen.js";
import type { SpeechEvent } from "./speech.js";

/** Events of the open conversation, from the extension or the reader. */
export type OpenEvent =
  | Extract<
      ToWebview,
      { type: "task" | "taskMissing" | "taskDeleted" | "events" | "page" | "answerFailed" }
    >
  | { readonly type: "answer"; readonly requestId: string; readonly optionId: string }
  /** The numbers of the items in or near the view. */
  | { readonly type: "inView"; readonly range: Range }
  | { readonly type: "leaveEnd"; readonly seen?: Seen }
  | { readonly type: "reachEnd" }
  | { readonly type: "jumpToEnd" }
  /** The shown end does not fill the page. */
  | { readonly type: "widen" }
  | { readonly type: "earlier" }
  | { readonly type: "later" };

/** Events of the page, from the extension or the reader. */
export type Event =
  | ToWebview
  | OpenEvent
  | SpeechEvent
  | { readonly type: "write"; readonly goal: string }
  | { readonly type: "submit" }
  | { readonly type: "queue" }
  | { readonly type: "look" }
  | { readonly type: "openRun"; readonly taskId: string }
  | { readonly type: "closeRun" }
  | { readonly type: "focusRun"; readonly taskId: string }
  | { readonly type: "cancelRun" }
  | { readonly type: "launchAgain" }
  | OpenRequest
  | { readonly type: "act"; readonly action: Action };
