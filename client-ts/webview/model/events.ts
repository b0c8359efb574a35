import type { Action, ToWebview } from "../../src/panel/messages.js";

/** What happens to the open conversation: the extension tells something, or the reader reads. */
export type OpenEvent =
  | Extract<ToWebview, { type: "task" | "taskMissing" | "events" }>
  | { readonly type: "leaveEnd" }
  | { readonly type: "reachEnd" }
  | { readonly type: "jumpToEnd" }
  | { readonly type: "earlier" }
  | { readonly type: "later" };

/** What happens to the page: the extension tells something, or the reader does something. */
export type Event =
  | ToWebview
  | OpenEvent
  | { readonly type: "write"; readonly goal: string }
  | { readonly type: "choose"; readonly subagentName: string }
  | { readonly type: "submit" }
  | { readonly type: "queue" }
  | { readonly type: "look" }
  | { readonly type: "openRun"; readonly taskId: string }
  | { readonly type: "closeRun" }
  | { readonly type: "focusRun"; readonly taskId: string }
  | { readonly type: "cancelRun" }
  | { readonly type: "launchAgain" }
  | { readonly type: "act"; readonly action: Action };
