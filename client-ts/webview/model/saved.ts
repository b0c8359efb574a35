import { readChosen } from "../../src/offers/offers.js";
import type { PagePlace } from "../../src/panel/messages.js";
import type { AllChosen } from "./composer/choices.js";
import { keptOfList, restoredList } from "./list/listState.js";
import { INITIAL, type State } from "./state.js";
import { followsEnd, newlyOpen } from "./openRun.js";
import { restoreForms, type SavedForms, saveForms } from "./questions/drafts.js";
import { takenTexts, unsentText } from "./speech.js";

/** The event of an item, and its distance from the top of the view, in CSS pixels. */
export interface Place {
  readonly seq: number;
  readonly below: number;
}

/** What survives the page: the input of the reader, which the sidecar cannot send again. */
export interface Saved {
  readonly goal: string;
  readonly subagentName?: string;
  /** Other subagents that get the same goal. */
  readonly also?: readonly string[];
  /** The paths of attached files. */
  readonly files?: readonly string[];
  /** What was chosen of agents, by the names of subagents. */
  readonly chosen?: AllChosen;
  readonly taskId?: string;
  /** Unsent messages, by run id. */
  readonly messages?: Readonly<Record<string, string>>;
  /** Messages that the sidecar accepted and has not delivered, by run id. */
  readonly queued?: Readonly<Record<string, readonly string[]>>;
  /** What was entered in the forms of questions. */
  readonly forms?: SavedForms;
  /** The reader's place, unless at the end. */
  readonly reading?: Place;
  /** How the reader left the list. */
  readonly list?: unknown;
}

export function save(
  { draft, chosen, open, speeches, list, forms }: State,
  place: Place | undefined,
): Saved {
  const messages = [...speeches].map(([taskId, speech]) => [taskId, unsentText(speech)] as const);
  const queued = [...speeches].map(([taskId, speech]) => [taskId, takenTexts(speech)] as const);
  const waiting = queued.filter(([, texts]) => texts.length > 0);
  const written = messages.filter(([, text]) => text !== "");
  return {
    goal: draft.goal,
    ...(draft.subagentName === undefined ? {} : { subagentName: draft.subagentName }),
    ...(draft.also === undefined ? {} : { also: draft.also }),
    ...(draft.files === undefined ? {} : { files: draft.files }),
    ...(Object.keys(chosen).length === 0 ? {} : { chosen }),
    ...(open === undefined ? {} : { taskId: open.taskId }),
    ...(written.length === 0 ? {} : { messages: Object.fromEntries(written) }),
    ...(waiting.length === 0 ? {} : { queued: Object.fromEntries(waiting) }),
    list: keptOfList(list),
    ...(forms.size === 0 ? {} : { forms: saveForms(forms) }),
    ...(open === undefined || followsEnd(open) || place === undefined ? {} : { reading: place }),
  };
}

/** Restore a saved state; members that cannot be read, as after an update, are ignored. */
export function restore(value: unknown, place: PagePlace = "sideBar"): State {
  const saved = readSaved(value);
  const { goal, subagentName, also, files, chosen = {}, taskId, forms, reading, list } = saved;
  const { messages = {}, queued = {} } = saved;
  const ids = new Set([...Object.keys(messages), ...Object.keys(queued)]);
  const speeches = [...ids].map((id) => {
    const unsaid = (queued[id] ?? []).map((text) => ({ text, delivery: "nextTurn" as const }));
    return [id, { text: messages[id] ?? "", unsaid }] as const;
  });
  return {
    ...INITIAL,
    place,
    opensElsewhere: place === "editor",
    list: restoredList(list),
    draft: {
      goal,
      ...(subagentName === undefined ? {} : { subagentName }),
      ...(also === undefined ? {} : { also }),
      ...(files === undefined ? {} : { files }),
    },
    chosen,
    speeches: new Map(speeches),
    forms: restoreForms(forms),
    ...(taskId === undefined
      ? {}
      : {
          open: {
            ...newlyOpen(taskId),
            ...(reading && { at: reading.seq, returning: reading.seq }),
          },
        }),
  };
}

/** Read the state that an earlier page saved, member by member. */
export function readSaved(value: unknown): Saved {
  const {
    goal,
    subagentName,
    also,
    files,
    chosen,
    taskId,
    messages,
    queued,
    forms,
    reading,
    list,
  } = (typeof value === "object" && value !== null ? value : {}) as Partial<
    Record<keyof Saved, unknown>
  >;
  return {
    goal: typeof goal === "string" ? goal : "",
    ...(typeof subagentName === "string" ? { subagentName } : {}),
    ...(isList(also) && also.length > 0 ? { also } : {}),
    ...(isList(files) && files.length > 0 ? { files } : {}),
    ...(chosen === undefined ? {} : { chosen: readChosen(chosen) }),
    ...(typeof taskId === "string" && taskId !== "" ? { taskId } : {}),
    ...(areTexts(messages) ? { messages } : {}),
    ...(areLists(queued) ? { queued } : {}),
    ...(forms === undefined ? {} : { forms: saveForms(restoreForms(forms)) }),
    ...(isPlace(reading) ? { reading } : {}),
    ...(list === undefined ? {} : { list }),
  };
}

function areTexts(value: unknown): value is Record<string, string> {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((text) => typeof text === "string")
  );
}

function areLists(value: unknown): value is Record<string, string[]> {
  return typeof value === "object" && value !== null && Object.values(value).every(isList);
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

function isPlace(value: unknown): value is Place {
  const { seq, below } = (
    typeof value === "object" && value !== null ? value : {}
  ) as Partial<Place>;
  return Number.isSafeInteger(seq) && typeof below === "number";
}
