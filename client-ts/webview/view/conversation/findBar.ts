import { html } from "lit-html";
import { live } from "lit-html/directives/live.js";

import { excerptOf, type Find, MOST_MATCHES } from "../../model/find/find.js";
import type { OpenRun } from "../../model/openRun.js";
import { FIND } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import { textOf } from "../common/typing.js";
import type { Part, View } from "../common/view.js";

/** Render the field that searches the open conversation, if the reader does. */
export function findBar({ send }: View, open: OpenRun): Part {
  const { find } = open;
  if (find === undefined) {
    return undefined;
  }
  return html`<div
    class="find"
    role="search"
    aria-label=${FIND.label}
    @keydown=${(event: KeyboardEvent) => {
      onKey(event, send);
    }}
  >
    <input
      id="find"
      type="text"
      spellcheck="false"
      autocomplete="off"
      dir="auto"
      aria-label=${FIND.field}
      placeholder=${FIND.field}
      aria-describedby="find-keys"
      .value=${live(find.query)}
      @input=${(event: InputEvent) => {
        send({ type: "findText", text: textOf(event) });
      }}
    />
    <span id="find-keys" class="sr-only">${FIND.keys}</span>
    <span class="find-count" role="status">${count(find)}</span>
    ${button("arrow-up", FIND.previous, () => {
      send({ type: "findNext", by: -1 });
    })}
    ${button("arrow-down", FIND.next, () => {
      send({ type: "findNext", by: 1 });
    })}
    ${button("close", FIND.close, () => {
      send({ type: "closeFind" });
    })}
  </div>`;
}

function onKey(event: KeyboardEvent, send: View["send"]): void {
  const { key, target, shiftKey, isComposing } = event;
  const steps = key === "F3" || (key === "Enter" && target instanceof HTMLInputElement);
  if (isComposing || (!steps && key !== "Escape")) {
    return;
  }
  event.preventDefault();
  event.stopPropagation(); // Escape would leave the conversation.
  send(steps ? { type: "findNext", by: shiftKey ? -1 : 1 } : { type: "closeFind" });
}

function count(find: Find): Part {
  const { query, matches, current, isWhole } = find;
  if (query === "") {
    return undefined;
  }
  if (matches.length === 0) {
    return html`${isWhole ? FIND.none : FIND.searching}`;
  }
  const isPartial = !isWhole || matches.length >= MOST_MATCHES;
  const at = current === undefined ? undefined : current + 1;
  return html`${FIND.count(at, matches.length, isPartial)}<span class="sr-only"
      >${current === undefined ? undefined : FIND.around(excerptOf(find))}</span
    >`;
}

function button(glyph: string, label: string, click: () => void): Part {
  return html`<button
    type="button"
    class="icon-button"
    title=${label}
    aria-label=${label}
    @click=${click}
  >
    ${icon(glyph)}
  </button>`;
}
