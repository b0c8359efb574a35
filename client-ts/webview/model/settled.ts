import type { RunRow } from "../../src/panel/listMessages.js";
import type { LaunchProblem } from "../../src/refusals/launchProblem.js";
import { isLive } from "../../src/text/outcome.js";
import type { Event } from "./events.js";
import { withoutRefusal, withoutRefusals } from "./speech.js";
import type { LaunchState, State } from "./state.js";

type Refusal = Partial<Pick<LaunchProblem, "canQueue" | "setting">>;

/** Remove the refusals that an event makes untrue: the limit has room, or the runners are other ones. */
export function withoutSettled(before: State, after: State, event: Event): State {
  switch (event.type) {
    case "run":
      return freesSlot(before, event.run) ? settled(after, isOfLimit) : after;
    case "limit":
      return event.max === before.limit ? after : settled(after, isOfLimit);
    case "definitions":
      return settled(after, ({ setting }) => setting === "runners");
    case "task": {
      const { id } = event.task;
      const speeches = isLive(event.task) ? after.speeches : withoutRefusal(after.speeches, id);
      return speeches === after.speeches ? after : { ...after, speeches };
    }
    default:
      return after;
  }
}

function freesSlot({ runs = [] }: State, run: RunRow): boolean {
  return !isLive(run) && runs.some((known) => known.id === run.id && isLive(known));
}

function isOfLimit({ canQueue }: Refusal): boolean {
  return canQueue === true;
}

function settled(state: State, isSettled: (refusal: Refusal) => boolean): State {
  const speeches = withoutRefusals(state.speeches, isSettled);
  const { launch } = state;
  const next: LaunchState =
    launch.kind === "refused" && isSettled(launch) ? { kind: "idle" } : launch;
  return speeches === state.speeches && next === launch
    ? state
    : { ...state, speeches, launch: next };
}
