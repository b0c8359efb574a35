import { html } from "lit-html";

import { type Mention, spotAt } from "../../model/mention.js";
import type { State } from "../../model/state.js";
import { COMPOSER } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import type { Part, View } from "../common/view.js";

/** Whether files are offered for what is typed after an `@`. */
export function areFilesShown({ mention }: State): boolean {
  return mention !== undefined && mention.paths.length > 0;
}

/** Return the id of the file that Enter takes. */
export function currentFile({ mention }: State): string {
  return `file-${mention?.current ?? 0}`;
}

/** Render the files that the text after an `@` may mean. */
export function files({ state: { mention }, send }: View): Part {
  if (mention === undefined || mention.paths.length === 0) {
    return undefined;
  }
  return html`<ul class="files-found" id="files" role="listbox" aria-label=${COMPOSER.files}>
    ${mention.paths.map(
      (path, at) =>
        html`<li
          id=${`file-${at}`}
          role="option"
          aria-selected=${at === mention.current}
          title=${path}
          @mousedown=${(event: MouseEvent) => {
            event.preventDefault(); // the goal keeps the focus
          }}
          @click=${({ currentTarget }: MouseEvent) => {
            const form = (currentTarget as HTMLElement).closest("form");
            const area = form?.querySelector<HTMLTextAreaElement>("#goal");
            if (area != null) {
              take(area, mention, path, send);
            }
          }}
        >
          ${icon("file")} <span class="file-name"><bdi>${nameOf(path)}</bdi></span>
          <span class="file-folder"><bdi>${folderOf(path)}</bdi></span>
        </li>`,
    )}
  </ul>`;
}

/** Report what is written, and which file is being named at the cursor. */
export function writeGoal(area: HTMLTextAreaElement, send: View["send"]): void {
  const mention = spotAt(area.value, area.selectionStart);
  send({ type: "write", goal: area.value, ...(mention === undefined ? {} : { mention }) });
}

/** Handle a key while files are offered; returns whether it was for them. */
export function onFileKey(event: KeyboardEvent, { state, send }: View): boolean {
  const { mention } = state;
  const path = mention?.paths[mention.current];
  if (mention === undefined || path === undefined || event.isComposing) {
    return false;
  }
  switch (event.key) {
    case "ArrowDown":
    case "ArrowUp":
      send({ type: "pointMention", by: event.key === "ArrowDown" ? 1 : -1 });
      break;
    case "Enter":
    case "Tab":
      take(event.target as HTMLTextAreaElement, mention, path, send);
      break;
    case "Escape":
      send({ type: "closeMention" });
      break;
    default:
      return false;
  }
  event.preventDefault();
  return true;
}

function take(
  area: HTMLTextAreaElement,
  { start, end }: Mention,
  path: string,
  send: View["send"],
): void {
  area.setRangeText(`@${path} `, start, end, "end");
  send({ type: "write", goal: area.value });
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
