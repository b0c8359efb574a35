import type { QuestionEvent, QuestionSchema } from "../../../src/protocol.js";
import { defaultEntries, type Entries, fieldsOf } from "../../../src/questions/form.js";
import { cutEnd } from "../../../src/text/cutting.js";
import { FORM } from "../../text/strings.js";

/** How a question was answered; without `action` the agent withdrew it. */
export type Reply = Pick<QuestionEvent, "action" | "content" | "by" | "reason">;

/** A question of the agent: a form, or an address to open. */
export interface Inquiry {
  readonly requestId: string;
  /** When it was asked or declined by a rule, in ms since the epoch. */
  readonly ts: number;
  readonly title: string;
  readonly message?: string;
  readonly schema?: QuestionSchema;
  readonly url?: string;
  readonly reply?: Reply;
}

/** What a person has entered in a form, and whether they tried to send it. */
export interface FormDraft {
  readonly entries: Entries;
  readonly isChecked: boolean;
  /** Fields that seem to hold passwords or keys: they are not saved. */
  readonly secrets?: ReadonlySet<string>;
}
export type FormDrafts = ReadonlyMap<string, FormDraft>;

/** Add an event to what is known about its question. */
export function inquiryAfter(before: Inquiry | undefined, event: QuestionEvent): Inquiry {
  const { requestId, ts, title, message, schema, url, state, action, content, by, reason } = event;
  const known = before ?? {
    ...{ requestId, ts, title },
    ...(message === undefined ? {} : { message }),
    ...(schema === undefined ? {} : { schema }),
    ...(url === undefined ? {} : { url }),
  };
  return state === "asked"
    ? known
    : {
        ...known,
        reply: {
          ...(action && { action }),
          ...(content && { content }),
          ...(by && { by }),
          ...(reason && { reason }),
        },
      };
}

/** Return what a form contains: what was entered, or else its defaults. */
export function draftOf(drafts: FormDrafts, { requestId, schema }: Inquiry): FormDraft {
  const known = drafts.get(requestId);
  return (
    known ?? {
      entries: schema === undefined ? new Map() : defaultEntries(schema),
      isChecked: false,
    }
  );
}

/** Describe a question for a screen reader. */
export function inquiryWords({ title, message }: Inquiry, most: number): string {
  return cutEnd((message ?? title).replace(/\s+/gu, " "), most);
}

/** Describe how a question was answered: a heading, and the values by their labels. */
export function replyWords({ schema, reply = {} }: Inquiry): {
  text: string;
  values: [string, string][];
} {
  const { action, content = {}, by, reason } = reply;
  const fields = schema === undefined ? [] : fieldsOf(schema);
  const values = fields
    .filter(({ name }) => Object.hasOwn(content, name))
    .map(({ name, label, field }): [string, string] => {
      const titles = new Map(
        (field.oneOf ?? field.items?.anyOf ?? []).map((each) => [each.const, each.title]),
      );
      const value = content[name];
      const shown = (each: unknown): string =>
        typeof each === "boolean"
          ? each
            ? FORM.yes
            : FORM.no
          : (titles.get(String(each)) ?? String(each));
      return [label, Array.isArray(value) ? value.map(shown).join(", ") : shown(value)];
    });
  switch (action) {
    case "accept":
      return { text: schema === undefined ? FORM.opened : FORM.answered, values };
    case "decline":
      return { text: by === "policy" ? (reason ?? FORM.declined) : FORM.declined, values: [] };
    default:
      return { text: action === "cancel" ? FORM.dismissed : FORM.withdrawn, values: [] };
  }
}
