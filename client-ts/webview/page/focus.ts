import type { Event } from "../model/events.js";
import type { State } from "../model/state.js";

/** The element that gets the focus when the focused one disappears, as a selector. */
export const FALLBACK_FOCUS = '#scroller, .run[tabindex="0"], #goal';

/** Return the element to focus after an event, as a selector; undefined keeps the focus. */
export function focusTarget(after: State, event: Event): string | undefined {
  switch (event.type) {
    case "openRun":
    case "open":
    case "launched":
    case "resumed":
    case "jumpToEnd":
      return "#scroller";
    case "closeRun":
    case "home":
      return FALLBACK_FOCUS;
    case "compose":
    case "launchAgain":
      return "#goal";
    case "beginResume":
    case "sendAgain":
      return "#words";
    case "submit":
      return after.launch.kind === "refused" ? "#goal" : undefined;
    default:
      return undefined;
  }
}
