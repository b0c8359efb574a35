import type { Range } from "./range.js";
import { INITIAL, type State } from "./state.js";
import { newlyOpen } from "./openRun.js";

/** What outlives the page: what the reader did, not what the sidecar can tell again. */
export interface Saved {
  readonly goal: string;
  readonly subagentName?: string;
  readonly taskId?: string;
  /** Where the reader was, unless at the end. */
  readonly reading?: Range;
  /** How far the conversation was scrolled while reading, in CSS pixels. */
  readonly scrollTop?: number;
}

export function save({ draft, open }: State, scrollTop: number): Saved {
  return {
    goal: draft.goal,
    ...(draft.subagentName === undefined ? {} : { subagentName: draft.subagentName }),
    ...(open === undefined ? {} : { taskId: open.taskId }),
    ...(open?.reading === undefined ? {} : { reading: open.reading, scrollTop }),
  };
}

/** Begin where the page was left; what cannot be read, as after an update, begins anew. */
export function restore(value: unknown): State {
  const { goal, subagentName, taskId, reading } = readSaved(value);
  return {
    ...INITIAL,
    draft: { goal, ...(subagentName === undefined ? {} : { subagentName }) },
    ...(taskId === undefined
      ? {}
      : { open: { ...newlyOpen(taskId), ...(reading === undefined ? {} : { reading }) } }),
  };
}

/** Read what an earlier page saved, member by member. */
export function readSaved(value: unknown): Saved {
  const { goal, subagentName, taskId, reading, scrollTop } = (
    typeof value === "object" && value !== null ? value : {}
  ) as Partial<Record<keyof Saved, unknown>>;
  return {
    goal: typeof goal === "string" ? goal : "",
    ...(typeof subagentName === "string" ? { subagentName } : {}),
    ...(typeof taskId === "string" && taskId !== "" ? { taskId } : {}),
    ...(isRange(reading) ? { reading } : {}),
    ...(typeof scrollTop === "number" ? { scrollTop } : {}),
  };
}

function isRange(value: unknown): value is Range {
  const { start, end } = (
    typeof value === "object" && value !== null ? value : {}
  ) as Partial<Range>;
  return Number.isSafeInteger(start) && Number.isSafeInteger(end);
}
