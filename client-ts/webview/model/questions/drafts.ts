import type { FromWebview } from "../../../src/panel/messages.js";
import {
  contentOf,
  type Entry,
  fieldsOf,
  isSecret,
  problemsOf,
} from "../../../src/questions/form.js";
import { draftOf, type FormDrafts, type Inquiry } from "./inquiry.js";

/** Events of the forms in a conversation. */
export type FormEvent =
  /** Without an entry the field is emptied. */
  | {
      readonly type: "fillIn";
      readonly inquiry: Inquiry;
      readonly name: string;
      readonly entry?: Entry;
    }
  | { readonly type: "sendForm"; readonly inquiry: Inquiry }
  | { readonly type: "refuseForm"; readonly inquiry: Inquiry };

/** The open run, and the ids of its questions whose answers are being sent. */
interface AskingRun {
  readonly taskId: string;
  readonly answering: ReadonlySet<string>;
}

/** Drafts of answered questions are dropped when there are more than this. */
const MOST_DRAFTS = 20;

/** Apply an event to the drafts. Pure. */
export function reduceDrafts(drafts: FormDrafts, event: FormEvent): FormDrafts {
  const { inquiry } = event;
  const draft = draftOf(drafts, inquiry);
  switch (event.type) {
    case "fillIn": {
      const entries = new Map(draft.entries);
      if (event.entry === undefined) {
        entries.delete(event.name);
      } else {
        entries.set(event.name, event.entry);
      }
      const secrets = new Set(
        (inquiry.schema === undefined ? [] : fieldsOf(inquiry.schema))
          .filter(isSecret)
          .map(({ name }) => name),
      );
      return kept(drafts, inquiry.requestId, { ...draft, entries, secrets });
    }
    case "sendForm":
      return kept(drafts, inquiry.requestId, { ...draft, isChecked: true });
    case "refuseForm":
      return drafts;
  }
}

/** Whether the form can be sent as it is filled in. */
export function isComplete(drafts: FormDrafts, inquiry: Inquiry): boolean {
  const { schema } = inquiry;
  return schema === undefined || problemsOf(schema, draftOf(drafts, inquiry).entries).size === 0;
}

/** Return the request that sends or refuses a form; none while it has problems or was sent already. */
export function formRequests(
  drafts: FormDrafts,
  open: AskingRun | undefined,
  event: FormEvent,
): FromWebview[] {
  const { inquiry } = event;
  const { requestId, schema } = inquiry;
  if (open === undefined || event.type === "fillIn" || open.answering.has(requestId)) {
    return [];
  }
  const reply = { type: "reply", taskId: open.taskId, requestId } as const;
  if (event.type === "refuseForm") {
    return [{ ...reply, action: "decline" }];
  }
  if (!isComplete(drafts, inquiry)) {
    return [];
  }
  const content = schema && contentOf(schema, draftOf(drafts, inquiry).entries);
  return [{ ...reply, action: "accept", ...(content && { content }) }];
}

function kept(
  drafts: FormDrafts,
  requestId: string,
  draft: ReturnType<typeof draftOf>,
): FormDrafts {
  const others = [...drafts].filter(([id]) => id !== requestId).slice(1 - MOST_DRAFTS);
  return new Map([...others, [requestId, draft]]);
}

/** What is saved of the forms: the entries of each, by request id. */
export type SavedForms = Readonly<Record<string, readonly (readonly [string, Entry])[]>>;

/** Return what the page saves of its forms. */
export function saveForms(drafts: FormDrafts): SavedForms {
  return Object.fromEntries(
    [...drafts].map(([id, { entries, secrets = new Set() }]) => [
      id,
      [...entries].filter(([name]) => !secrets.has(name)),
    ]),
  );
}

/** Return the forms that a page saved; what cannot be read is ignored. */
export function restoreForms(value: unknown): FormDrafts {
  const saved = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return new Map(
    saved.flatMap(([id, entries]: [string, unknown]) =>
      Array.isArray(entries)
        ? [[id, { entries: new Map(entries.filter(isEntry)), isChecked: false }] as const]
        : [],
    ),
  );
}

function isEntry(value: unknown): value is [string, Entry] {
  if (!Array.isArray(value) || value.length !== 2 || typeof value[0] !== "string") {
    return false;
  }
  const entry: unknown = value[1];
  return (
    typeof entry === "string" ||
    typeof entry === "boolean" ||
    (Array.isArray(entry) && entry.every((each) => typeof each === "string"))
  );
}
