import type { Range } from "./range.js";
import { INITIAL, type State } from "./state.js";
import { newlyOpen } from "./openRun.js";
import { unsentText } from "./speech.js";

/** What outlives the page: what the reader did, not what the sidecar can tell again. */
export interface Saved {
  readonly goal: string;
  readonly subagentName?: string;
  readonly taskId?: string;
  /** What is being written to agents, by the ids of their runs. */
  readonly messages?: Readonly<Record<string, string>>;
  /** Where the reader was, unless at the end. */
  readonly reading?: Range;
  /** How far the conversation was scrolled while reading, in CSS pixels. */
  readonly scrollTop?: number;
}

export function save({ draft, open, speeches }: State, scrollTop: number): Saved {
  const messages = [...speeches].map(([taskId, speech]) => [taskId, unsentText(speech)] as const);
  const written = messages.filter(([, text]) => text !== "");
  return {
    goal: draft.goal,
    ...(draft.subagentName === undefined ? {} : { subagentName: draft.subagentName }),
    ...(open === undefined ? {} : { taskId: open.taskId }),
    ...(written.length === 0 ? {} : { messages: Object.fromEntries(written) }),
    ...(open?.reading === undefined ? {} : { reading: open.reading, scrollTop }),
  };
}

/** Begin where the page was left; what cannot be read, as after an update, begins anew. */
export function restore(value: unknown): State {
  const { goal, subagentName, taskId, messages = {}, reading } = readSaved(value);
  const speeches = Object.entries(messages).map(
    ([id, text]) => [id, { text, unsaid: [] }] as const,
  );
  return {
    ...INITIAL,
    draft: { goal, ...(subagentName === undefined ? {} : { subagentName }) },
    speeches: new Map(speeches),
    ...(taskId === undefined
      ? {}
      : { open: { ...newlyOpen(taskId), ...(reading === undefined ? {} : { reading }) } }),
  };
}

/** Read what an earlier page saved, member by member. */
export function readSaved(value: unknown): Saved {
  const { goal, subagentName, taskId, messages, reading, scrollTop } = (
    typeof value === "object" && value !== null ? value : {}
  ) as Partial<Record<keyof Saved, unknown>>;
  return {
    goal: typeof goal === "string" ? goal : "",
    ...(typeof subagentName === "string" ? { subagentName } : {}),
    ...(typeof taskId === "string" && taskId !== "" ? { taskId } : {}),
    ...(areTexts(messages) ? { messages } : {}),
    ...(isRange(reading) ? { reading } : {}),
    ...(typeof scrollTop === "number" ? { scrollTop } : {}),
  };
}

function areTexts(value: unknown): value is Record<string, string> {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((text) => typeof text === "string")
  );
}

function isRange(value: unknown): value is Range {
  const { start, end } = (
    typeof value === "object" && value !== null ? value : {}
  ) as Partial<Range>;
  return Number.isSafeInteger(start) && Number.isSafeInteger(end);
}
