import * as vscode from "vscode";

import { showInputBox, showQuickPick } from "./quickInput.js";
import type { Attention } from "../protocol.js";
import { oneLine, withoutIcons } from "../text/words.js";
import * as strings from "../text/strings.js";
import { contentOf, type Entry, type FormField, hintOf, problemOf, singleField } from "./form.js";

const TITLE_CHARS = 120;

/** Whether a quick pick or an input box can ask for the answer: a form with one field. */
export function isSimple({ kind, schema }: Attention): boolean {
  return kind === "question" && singleField(schema) !== undefined;
}

/** Ask for the answer to a simple question; return its content, or undefined if the user leaves. */
export async function promptFor({
  title,
  message,
  schema,
}: Attention): Promise<Record<string, unknown> | undefined> {
  const field = singleField(schema);
  if (schema === undefined || field === undefined) {
    return undefined;
  }
  const entry = await ask(field, oneLine(message ?? title, TITLE_CHARS));
  return entry === undefined ? undefined : contentOf(schema, new Map([[field.name, entry]]));
}

function ask(field: FormField, title: string): Promise<Entry | undefined> {
  const { type, oneOf, items } = field.field;
  if (type === "boolean") {
    return pickOne(title, [
      { label: strings.forms.yes, entry: true },
      { label: strings.forms.no, entry: false },
    ]);
  }
  const choices = (oneOf ?? items?.anyOf ?? []).map((choice) => ({
    label: withoutIcons(choice.title),
    ...(choice.description === undefined ? {} : { detail: withoutIcons(choice.description) }),
    entry: choice.const,
  }));
  if (choices.length === 0) {
    return input(field, title);
  }
  return items === undefined ? pickOne(title, choices) : pickSome(field, title, choices);
}

type Row = vscode.QuickPickItem & { readonly entry: string | boolean };

async function pickOne(title: string, rows: readonly Row[]): Promise<Entry | undefined> {
  return (await showQuickPick(rows, { title, ignoreFocusOut: true }))?.entry;
}

async function pickSome(
  field: FormField,
  title: string,
  rows: readonly Row[],
): Promise<Entry | undefined> {
  const placeHolder = hintOf(field.field) ?? field.label;
  const { default: known } = field.field;
  const isDefault = ({ entry }: Row): boolean =>
    Array.isArray(known) && known.includes(String(entry));
  const items = rows.map((row) => (isDefault(row) ? { ...row, picked: true } : row));
  const chosen = await showQuickPick(items, {
    title,
    placeHolder,
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return chosen?.map(({ entry }) => String(entry));
}

async function input(field: FormField, title: string): Promise<Entry | undefined> {
  const { default: value, description } = field.field;
  const prompt = [field.label, description, hintOf(field.field)].filter(
    (each) => each !== undefined,
  );
  return showInputBox({
    title,
    prompt: oneLine(prompt.join(" · "), TITLE_CHARS),
    value: typeof value === "string" || typeof value === "number" ? String(value) : "",
    ignoreFocusOut: true,
    validateInput: (text) => problemOf(field, text),
  });
}
