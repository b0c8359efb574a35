import type { Action, OpenRequest, ToWebview } from "../../src/panel/messages.js";
import type { SpeechEvent } from "./speech.js";

/** What happens to the open conversation: the extension tells something, or the reader reads. */
export type OpenEvent =
  | Extract<ToWebview, { type: "task" | "taskMissing" | "events" | "page" | "answerFailed" }>
  | { readonly type: "answer"; readonly requestId: string; readonly optionId: string }
  | { readonly type: "leaveEnd" }
  | { readonly type: "reachEnd" }
  | { readonly type: "jumpToEnd" }
  /** The end that is shown does not fill the room there is. */
  | { readonly type: "widen" }
  | { readonly type: "earlier" }
  | { readonly type: "later" };

/** What happens to the page: the extension tells something, or the reader does something. */
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
