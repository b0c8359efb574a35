import { type ListEvent, reduceList, runKey } from "./list/listState.js";
import { newlyOpen } from "./openRun.js";
import type { State } from "./state.js";

/** Apply an event to the list. */
export function listing(state: State, event: ListEvent): State {
  const list = reduceList(state.list, event);
  return list === state.list ? state : { ...state, list };
}

/** Show the conversation of a run, and its row as the focused one. */
export function opened(state: State, taskId: string): State {
  return state.open?.taskId === taskId
    ? state
    : {
        ...listing(state, { type: "focusRow", key: runKey({ id: taskId }) }),
        open: newlyOpen(taskId),
      };
}
