import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";

import { type Entry, type FormField, isSecret } from "../../../src/questions/form.js";
import type { QuestionChoice } from "../../../src/protocol.js";
import { buttonChoices, fieldHint } from "../../model/questions/fieldTexts.js";
import { plain } from "../../text/format.js";
import { FORM } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import type { Part } from "../common/view.js";

/** A field at this moment, and how to change it. */
export interface FieldState {
  readonly id: string;
  readonly entry: Entry | undefined;
  readonly problem: string | undefined;
  /** Without an entry the field is emptied. */
  readonly fill: (entry?: Entry) => void;
}

/** Texts that may be longer get several lines. */
const LINE_CHARS = 500;

/** Render one field with its label, its hint and its problem. */
export function fieldView(field: FormField, state: FieldState): Part {
  const { type, oneOf, items } = field.field;
  if (type === "boolean") {
    const entry = state.entry === undefined ? undefined : String(state.entry);
    return radios(field, buttonChoices(field), { ...state, entry }, (value) => value === "true");
  }
  if (items !== undefined) {
    return checkboxes(field, items.anyOf, state);
  }
  if (oneOf !== undefined) {
    const buttons = buttonChoices(field);
    return buttons.length === 0
      ? labeled(field, state, menu(field, oneOf, state))
      : radios(field, buttons, state, (value) => value);
  }
  return labeled(field, state, textInput(field, state));
}

function labeled(field: FormField, state: FieldState, control: TemplateResult): Part {
  return html`<div class="field">
    <label for=${state.id}>${labelText(field)}</label>
    ${description(field, state)} ${control} ${problem(state)}
  </div>`;
}

function labelText({ label, isRequired }: FormField): Part {
  return html`<bdi>${plain(label)}</bdi
    >${isRequired ? undefined : html` <span class="hint" data-unsearched>${FORM.optional}</span>`}`;
}

function description(field: FormField, { id }: FieldState): Part {
  const words = fieldHint(field);
  return words === undefined
    ? undefined
    : html`<p id="${id}-hint" class="hint" dir="auto">${words}</p>`;
}

function problem({ id, problem: words }: FieldState): Part {
  return words === undefined
    ? undefined
    : html`<p id="${id}-problem" class="field-problem" data-unsearched>
        ${icon("error")} <span>${words}</span>
      </p>`;
}

/** Return the ids of the elements that a screen reader reads after the label. */
function describedBy(
  field: FormField,
  { id, problem: words }: FieldState,
): string | typeof nothing {
  const hasHint = fieldHint(field) !== undefined;
  const ids = [
    ...(words === undefined ? [] : [`${id}-problem`]),
    ...(hasHint ? [`${id}-hint`] : []),
  ];
  return ids.length === 0 ? nothing : ids.join(" ");
}

function textInput(field: FormField, state: FieldState): TemplateResult {
  const { type, format, maxLength = 0 } = field.field;
  const isNumber = type === "number" || type === "integer";
  const value = live(typeof state.entry === "string" ? state.entry : "");
  const fill = ({ target }: Event): void => {
    state.fill((target as HTMLInputElement | HTMLTextAreaElement).value);
  };
  const described = describedBy(field, state);
  const invalid = state.problem !== undefined;
  if (!isNumber && format === undefined && maxLength > LINE_CHARS) {
    return html`<textarea
      id=${state.id}
      rows="3"
      aria-required=${field.isRequired}
      aria-invalid=${invalid}
      aria-describedby=${described}
      .value=${value}
      @input=${fill}
    ></textarea>`;
  }
  return html`<input
    id=${state.id}
    type=${isSecret(field) ? "password" : format === "date" ? "date" : "text"}
    inputmode=${isNumber ? "decimal" : format === "email" ? "email" : format === "uri" ? "url" : "text"}
    autocomplete="off"
    spellcheck="false"
    aria-required=${field.isRequired}
    aria-invalid=${invalid}
    aria-describedby=${described}
    .value=${value}
    @input=${fill}
  />`;
}

function menu(
  field: FormField,
  choices: readonly QuestionChoice[],
  state: FieldState,
): TemplateResult {
  return html`<select
    data-unsearched
    id=${state.id}
    aria-required=${field.isRequired}
    aria-invalid=${state.problem !== undefined}
    aria-describedby=${describedBy(field, state)}
    @change=${({ target }: Event) => {
      const at = (target as HTMLSelectElement).selectedIndex - 1;
      state.fill(choices[at]?.const);
    }}
  >
    <option ?selected=${state.entry === undefined}>${FORM.noChoice}</option>
    ${choices.map(
      (choice) =>
        html`<option ?selected=${state.entry === choice.const}>${plain(choice.title)}</option>`,
    )}
  </select>`;
}

function radios(
  field: FormField,
  choices: readonly QuestionChoice[],
  state: FieldState,
  entryOf: (value: string) => Entry,
): Part {
  return group(
    field,
    state,
    "radiogroup",
    choices.map((choice, at) =>
      option(choice, state, at, {
        type: "radio",
        isChosen: state.entry === choice.const,
        choose: () => {
          state.fill(entryOf(choice.const));
        },
      }),
    ),
    !field.isRequired && state.entry !== undefined,
  );
}

function checkboxes(field: FormField, choices: readonly QuestionChoice[], state: FieldState): Part {
  const chosen = Array.isArray(state.entry) ? (state.entry as readonly string[]) : [];
  return group(
    field,
    state,
    "group",
    choices.map((choice, at) =>
      option(choice, state, at, {
        type: "checkbox",
        isChosen: chosen.includes(choice.const),
        choose: () => {
          const isNew = !chosen.includes(choice.const);
          const next = new Set(
            isNew ? [...chosen, choice.const] : chosen.filter((each) => each !== choice.const),
          );
          state.fill(choices.map((each) => each.const).filter((each) => next.has(each)));
        },
      }),
    ),
    false,
  );
}

function group(
  field: FormField,
  state: FieldState,
  role: "radiogroup" | "group",
  options: readonly TemplateResult[],
  canClear: boolean,
): Part {
  return html`<div
    class="field"
    role=${role}
    aria-labelledby="${state.id}-label"
    aria-required=${role === "radiogroup" ? String(field.isRequired) : nothing}
    aria-describedby=${describedBy(field, state)}
  >
    <p id="${state.id}-label" class="field-label">${labelText(field)}</p>
    ${description(field, state)}
    <div class="choices">${options}</div>
    ${
      canClear
        ? html`<button
            type="button"
            class="link"
            data-unsearched
            @click=${() => {
              state.fill();
            }}
          >
            ${FORM.clear}
          </button>`
        : undefined
    }
    ${problem(state)}
  </div>`;
}

interface OptionState {
  readonly type: "radio" | "checkbox";
  readonly isChosen: boolean;
  readonly choose: () => void;
}

function option(
  { title, description: words }: QuestionChoice,
  { id, problem: invalid }: FieldState,
  at: number,
  { type, isChosen, choose }: OptionState,
): TemplateResult {
  const hint = `${id}-${at}-hint`;
  return html`<label class="choice">
    <input
      type=${type}
      name=${id}
      .checked=${live(isChosen)}
      aria-invalid=${invalid !== undefined}
      aria-describedby=${words === undefined ? nothing : hint}
      @change=${choose}
    />
    <span>
      <span class="choice-title" dir="auto">${plain(title)}</span>
      ${words === undefined ? undefined : html`<span id=${hint} class="hint" dir="auto">${plain(words)}</span>`}
    </span>
  </label>`;
}
