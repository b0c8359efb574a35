import type { Event } from "../model/events.js";
import { isComplete } from "../model/questions/drafts.js";
import type { State } from "../model/state.js";

/** The conversation or the row of the list that the keys go to, as a selector. */
export const LIST_FOCUS = '#scroller, .agent[tabindex="0"], .group[tabindex="0"]';
/** The element that gets the focus when the focused one disappears, as a selector. */
export const FALLBACK_FOCUS = `${LIST_FOCUS}, #goal`;

/** The goal; without a subagent there is none, but the buttons that add one. */
const COMPOSER_FOCUS = "#goal, :is(.nudge, .welcome) button";

/** Return the element to focus after an event, as a selector; undefined keeps the focus. */
export function focusTarget(after: State, event: Event): string | undefined {
  switch (event.type) {
    case "openRun":
      return after.opensElsewhere ? undefined : "#scroller";
    case "launched":
      return after.open?.taskId === event.taskId ? "#scroller" : undefined;
    case "moveTo":
      return `[data-key=${JSON.stringify(event.key)}]`;
    case "find":
      return "#find";
    case "closeFind":
    case "open":
    case "resumed":
      return "#scroller";
    case "toQuestion":
      return questionTarget(JSON.stringify(event.requestId));
    case "page":
      return soughtTarget(after);
    case "closeRun":
    case "home":
    case "focusList":
      return FALLBACK_FOCUS;
    case "compose":
      return COMPOSER_FOCUS;
    case "addToGoal":
    case "attached":
    case "detach":
    case "launchAgain":
      return "#goal";
    case "addToMessage":
    case "beginResume":
    case "sendAgain":
      return "#words";
    case "sendForm":
      return isComplete(after.forms, event.inquiry)
        ? undefined
        : `form[data-question="${event.inquiry.requestId}"] [aria-invalid="true"]`;
    case "submit":
      return after.launch.kind === "refused" ? "#goal" : undefined;
    default:
      return undefined;
  }
}

/** Return the question to which a page led that arrived. */
function soughtTarget({ open }: State): string | undefined {
  return open?.sought === undefined || open.returning !== undefined
    ? undefined
    : questionTarget(JSON.stringify(open.sought));
}

/** A form gets the focus in its first field, a request as a whole: a second Enter must not allow it unread. */
function questionTarget(id: string): string {
  return `.ask[data-question=${id}]:not(.form), .form[data-question=${id}] :is(button,input,select,textarea)`;
}
