import { html, nothing } from "lit-html";
import { ref } from "lit-html/directives/ref.js";

import { type Mention, named, spotAt, type Suggestion } from "../../model/composer/mention.js";
import type { State } from "../../model/state.js";
import { COMPOSER } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import type { Part, View } from "../common/view.js";

/** Whether something is offered for what is typed after an `@` or a `/`. */
export function areSuggestionsShown({ mention }: State): boolean {
  return mention !== undefined && mention.found.length > 0;
}

/** Return the id of the suggestion that Enter takes. */
export function currentSuggestion({ mention }: State): string {
  return `suggestion-${mention?.current ?? 0}`;
}

/** Render the files or commands that the text at the cursor may mean. */
export function suggestions({ state: { mention }, send }: View): Part {
  if (mention === undefined || mention.found.length === 0) {
    return undefined;
  }
  const label = mention.kind === "file" ? COMPOSER.files : COMPOSER.commands;
  return html`<ul class="suggestions" id="suggestions" role="listbox" aria-label=${label}>
    ${mention.found.map(
      (each, at) =>
        html`<li
          id=${`suggestion-${at}`}
          role="option"
          aria-selected=${at === mention.current}
          title=${each.description ?? each.name}
          ${at === mention.current ? ref(bringIntoView) : nothing}
          @mousedown=${(event: MouseEvent) => {
            event.preventDefault(); // the goal keeps the focus
          }}
          @click=${({ currentTarget }: MouseEvent) => {
            const form = (currentTarget as HTMLElement).closest("form");
            const area = form?.querySelector<HTMLTextAreaElement>("#goal");
            if (area != null) {
              take(area, mention, each, send);
            }
          }}
        >
          ${mention.kind === "file" ? file(each) : command(each)}
        </li>`,
    )}
  </ul>`;
}

/** Scroll to the suggestion that arrows have reached. */
function bringIntoView(item?: Element): void {
  item?.scrollIntoView({ block: "nearest" });
}

function file({ name }: Suggestion): Part {
  return html`${icon("file")} <span class="suggested"><bdi>${nameOf(name)}</bdi></span>
    <span class="suggested-detail"><bdi>${folderOf(name)}</bdi></span>`;
}

function command({ name, description = "", hint = "" }: Suggestion): Part {
  return html`<span class="suggested"><bdi>/${name}</bdi></span>
    ${hint === "" ? undefined : html`<span class="suggested-hint"><bdi>${hint}</bdi></span>`}
    <span class="suggested-detail"><bdi>${description}</bdi></span>`;
}

/** Report what is written, and what is being named at the cursor. */
export function writeGoal(area: HTMLTextAreaElement, send: View["send"]): void {
  const mention = spotAt(area.value, area.selectionStart);
  send({ type: "write", goal: area.value, ...(mention === undefined ? {} : { mention }) });
}

/** Handle a key while something is offered; returns whether it was for that. */
export function onSuggestionKey(event: KeyboardEvent, { state, send }: View): boolean {
  const { mention } = state;
  const current = mention?.found[mention.current];
  if (mention === undefined || current === undefined || event.isComposing) {
    return false;
  }
  switch (event.key) {
    case "ArrowDown":
    case "ArrowUp":
      send({ type: "pointMention", by: event.key === "ArrowDown" ? 1 : -1 });
      break;
    case "Enter":
    case "Tab":
      take(event.target as HTMLTextAreaElement, mention, current, send);
      break;
    case "Escape":
      send({ type: "dismissMention" });
      break;
    default:
      return false;
  }
  event.preventDefault();
  return true;
}

function take(
  area: HTMLTextAreaElement,
  mention: Mention,
  suggestion: Suggestion,
  send: View["send"],
): void {
  area.setRangeText(named(mention, suggestion), mention.start, mention.end, "end");
  send({ type: "write", goal: area.value });
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
