import type { QuestionField, QuestionSchema } from "../protocol.js";
import * as strings from "../text/strings.js";

/** What a person entered in a field: a text, yes or no, or several choices. Absent: nothing. */
export type Entry = string | boolean | readonly string[];
export type Entries = ReadonlyMap<string, Entry>;

/** A field of a question's form, as it is shown. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly isRequired: boolean;
  readonly field: QuestionField;
}

const words = strings.forms;
const EMAIL = /^[^\s@"(),:;<>[\\\]]+@[^\s@"(),:;<>[\\\]]+$/u;
const ADDRESS = /^[a-z][a-z0-9+.-]*:[^\s"<>\\^`{|}]+$/iu;
const DATE = /^\d{4}-\d\d-\d\d$/u;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/iu;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/iu;
const SECRET =
  /pass(?:word|phrase|wd|code)|secret|token|credential|api[ _-]?key|private[ _-]?key|\bpin\b/iu;

/** Return the fields of a form in the order to show them. */
export function fieldsOf({ properties, required }: QuestionSchema): FormField[] {
  return Object.entries(properties).map(([name, field]) => ({
    name,
    label: field.title ?? name,
    isRequired: required.includes(name),
    field,
  }));
}

/** Return what a form contains before anyone changes it. */
export function defaultEntries(schema: QuestionSchema): Entries {
  return new Map(
    Object.entries(schema.properties).flatMap(([name, { default: value }]) => {
      const entry = typeof value === "number" ? String(value) : value;
      return entry === undefined || entry === null ? [] : [[name, entry] as const];
    }),
  );
}

/** Whether a field seems to hold a password or a key, which the screen should not show. */
export function isSecret({ name, label, field }: FormField): boolean {
  return field.type === "string" && field.oneOf === undefined && SECRET.test(`${name} ${label}`);
}

/** Return what is wrong with the entry of a field; undefined if nothing is. */
export function problemOf(
  { field, isRequired }: FormField,
  entry: Entry | undefined,
): string | undefined {
  if (isEmpty(entry)) {
    return isRequired ? missing(field) : undefined;
  }
  if (Array.isArray(entry)) {
    const [least, most] = [field.minItems ?? 0, field.maxItems ?? Infinity];
    return entry.length < least
      ? words.fewChoices(least)
      : entry.length > most
        ? words.manyChoices(most)
        : undefined;
  }
  if (typeof entry !== "string" || field.oneOf !== undefined) {
    return undefined;
  }
  return field.type === "string" ? textProblem(field, entry) : numberProblem(field, entry.trim());
}

/** Return the problems of all fields, by name. */
export function problemsOf(schema: QuestionSchema, entries: Entries): ReadonlyMap<string, string> {
  return new Map(
    fieldsOf(schema).flatMap((field) => {
      const problem = problemOf(field, entries.get(field.name));
      return problem === undefined ? [] : [[field.name, problem] as const];
    }),
  );
}

/** Return the content of an answer. Empty optional fields are left out. */
export function contentOf(schema: QuestionSchema, entries: Entries): Record<string, unknown> {
  // From entries, so that a field named __proto__ is a member like any other.
  return Object.fromEntries(
    fieldsOf(schema).flatMap(({ name, field }) => {
      const entry = entries.get(name);
      return isEmpty(entry) ? [] : [[name, valueOf(field, entry)] as const];
    }),
  );
}

/** Return the only field of a form that a quick pick or an input box can ask for. */
export function singleField(schema: QuestionSchema | undefined): FormField | undefined {
  const [field, ...others] = schema === undefined ? [] : fieldsOf(schema);
  return field !== undefined && others.length === 0 && !isSecret(field) ? field : undefined;
}

/** Return a hint about what a field expects, such as `a whole number from 1 to 10`. */
export function hintOf({
  type,
  format,
  minimum,
  maximum,
  minLength,
  maxLength,
  minItems,
  maxItems,
  oneOf,
}: QuestionField): string | undefined {
  if (type === "integer" || type === "number") {
    return words.number(type === "integer", minimum ?? undefined, maximum ?? undefined);
  }
  if (format !== undefined) {
    return words.formats[format];
  }
  if (type === "array" && ((minItems ?? 0) > 0 || maxItems !== undefined)) {
    return words.choices(minItems, maxItems);
  }
  return type === "string" &&
    oneOf === undefined &&
    (minLength !== undefined || maxLength !== undefined)
    ? words.lengths(minLength, maxLength)
    : undefined;
}

function isEmpty(entry: Entry | undefined): entry is undefined {
  return entry === undefined || entry === "" || (Array.isArray(entry) && entry.length === 0);
}

function missing({ type, oneOf }: QuestionField): string {
  return type === "boolean" || type === "array" || oneOf !== undefined ? words.choose : words.enter;
}

function valueOf({ type }: QuestionField, entry: Entry | undefined): unknown {
  return type === "number" || type === "integer" ? Number(entry) : entry;
}

function numberProblem(
  { type, minimum, maximum }: QuestionField,
  text: string,
): string | undefined {
  const value = Number(text);
  if (!NUMBER.test(text) || !Number.isFinite(value)) {
    return words.notNumber;
  }
  if (type === "integer" && !Number.isInteger(value)) {
    return words.notWhole;
  }
  if (type === "integer" && !Number.isSafeInteger(value)) {
    return words.tooLarge; // it would be sent as another number
  }
  if (value < (minimum ?? -Infinity)) {
    return words.atLeast(minimum ?? 0);
  }
  return value > (maximum ?? Infinity) ? words.atMost(maximum ?? 0) : undefined;
}

function textProblem(
  { format, minLength = 0, maxLength = Infinity }: QuestionField,
  text: string,
): string | undefined {
  const { length } = Array.from(text); // in characters, as the sidecar counts them
  if (length < minLength) {
    return words.tooShort(minLength);
  }
  if (length > maxLength) {
    return words.tooLong(maxLength);
  }
  return format === undefined || hasFormat(format, text)
    ? undefined
    : words.mustBe(words.formats[format]);
}

function hasFormat(format: NonNullable<QuestionField["format"]>, text: string): boolean {
  switch (format) {
    case "email":
      return EMAIL.test(text);
    case "uri":
      return ADDRESS.test(text);
    case "date":
      return DATE.test(text) && isTime(text) && new Date(text).toISOString().startsWith(text);
    case "date-time":
      return TIME.test(text) && isTime(text);
  }
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}
