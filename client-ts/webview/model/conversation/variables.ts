import { MAX_VARIABLES } from "../../../src/panel/events/variables.js";
import type { AsyncTask } from "../../../src/protocol.js";

/** The variables of a run to show, and whether it has more. */
export interface ShownVariables {
  readonly named: readonly (readonly [string, unknown])[];
  readonly isCut: boolean;
}

/** Return the newest variables of a run; those of the task replace lost events. */
export function variablesOf(
  task: AsyncTask | undefined,
  emitted: ReadonlyMap<string, unknown>,
): ShownVariables {
  const recorded = { ...task?.partial?.emitted_vars, ...task?.output?.emitted_vars };
  const known = new Map([...Object.entries(recorded).slice(-MAX_VARIABLES - 1), ...emitted]);
  return { named: [...known].slice(-MAX_VARIABLES), isCut: known.size > MAX_VARIABLES };
}
