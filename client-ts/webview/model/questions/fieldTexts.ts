import type { QuestionChoice } from "../../../src/protocol.js";
import { type FormField, hintOf } from "../../../src/questions/form.js";
import { capitalized } from "../../../src/text/words.js";
import { plain } from "../../text/format.js";
import { FORM } from "../../text/strings.js";

/** Longer lists of choices are a menu. */
const MOST_BUTTONS = 8;

/** Return the hint below the label of a field, if it has one. */
export function fieldHint({ field }: FormField): string | undefined {
  const texts = [field.description, hintOf(field)].filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : plain(capitalized(texts.join(" · ")));
}

/** Return the choices that a field shows as buttons; none for a text and for a menu. */
export function buttonChoices({ field }: FormField): readonly QuestionChoice[] {
  const { type, oneOf = [], items } = field;
  if (type === "boolean") {
    return [
      { const: "true", title: FORM.yes },
      { const: "false", title: FORM.no },
    ];
  }
  return items?.anyOf ?? (oneOf.length > MOST_BUTTONS ? [] : oneOf);
}
