import type { Action, OpenRequest, ToWebview } from "../../src/panel/messages.js";
import type { AttachEvent } from "./composer/attachments.js";
import type { ChoiceEvent } from "./composer/choices.js";
import type { MentionEvent } from "./composer/mention.js";
import type { FormEvent } from "./questions/drafts.js";
import type { Range } from "./range.js";
import type { Seen } from "./openRun.js";
import type { ListEvent } from "./list/listState.js";
import type { SpeechEvent } from "./speech.js";
import type { TaskRef } from "../../src/taskRef.js";

/** Events of the open conversation, from the extension or the reader. */
export type OpenEvent =
  | Extract<
      ToWebview,
      {
        type:
          | "task"
          | "taskMissing"
          | "files"
          | "texts"
          | "signIn"
          | "taskDeleted"
          | "restarted"
          | "events"
          | "turns"
          | "page"
          | "answerFailed"
          | "jumpTo"
          | "toQuestion";
      }
    >
  | { readonly type: "answer"; readonly requestId: string; readonly optionId: string }
  /** A form is being sent or refused. */
  | { readonly type: "answering"; readonly requestId: string }
  /** The numbers of the items in or near the view. */
  | { readonly type: "inView"; readonly range: Range }
  | { readonly type: "leaveEnd"; readonly seen?: Seen }
  | { readonly type: "reachEnd" }
  | { readonly type: "jumpToEnd" }
  /** The reader scrolled to this event. */
  | { readonly type: "readAt"; readonly seq: number }
  /** The shown end does not fill the page. */
  | { readonly type: "widen" }
  /** More arrived than can be drawn at once: draw this weight of the end first. */
  | { readonly type: "narrow"; readonly weight: number }
  /** This machine can draw this weight in a frame. */
  | { readonly type: "portion"; readonly weight: number }
  | { readonly type: "earlier" }
  | { readonly type: "later" }
  | FindEvent;

/** Events of the search in the open conversation. */
export type FindEvent =
  | Extract<ToWebview, { type: "find" | "read" }>
  | { readonly type: "findText"; readonly text: string }
  | { readonly type: "findNext"; readonly by: 1 | -1 }
  | { readonly type: "closeFind" }
  /** The current match is in view, or cannot be. */
  | { readonly type: "revealed" };

/** Events of the page, from the extension or the reader. */
export type Event =
  | ToWebview
  | OpenEvent
  | FormEvent
  | SpeechEvent
  | ListEvent
  | MentionEvent
  | ChoiceEvent
  | AttachEvent
  /** Launch another subagent with the same goal, or not. */
  | { readonly type: "alsoUse"; readonly subagentName: string; readonly isUsed: boolean }
  | { readonly type: "submit" }
  | { readonly type: "queue" }
  | { readonly type: "look" }
  | { readonly type: "openRun"; readonly taskId: string }
  | { readonly type: "closeRun" }
  | { readonly type: "cancelRun" }
  | { readonly type: "launchAgain" }
  /** Continue a stored task with another agent. */
  | { readonly type: "continueWith" }
  | OpenRequest
  /** Make a subagent of an installed agent. */
  | { readonly type: "useAgent"; readonly runner: string }
  /** Without a task, the action is on the open run, if any. */
  | { readonly type: "act"; readonly action: Action; readonly task?: TaskRef };
