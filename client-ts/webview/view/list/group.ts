import { html } from "lit-html";

import type { Entry } from "../../model/list/entries.js";
import { LIST } from "../../text/strings.js";
import { icon } from "../common/icon.js";
import type { Part, View } from "../common/view.js";

/** Render the heading of a group, which opens and closes it. */
export function group(
  { send, state }: View,
  { key, group: id, count, isPartial, isCollapsed }: Extract<Entry, { kind: "group" }>,
  isCurrent: boolean,
): Part {
  const name = id === "sorted" ? LIST.sortedBy[state.list.sort] : LIST.groups[id];
  return html`<button
    type="button"
    class="group group-${id}"
    data-key=${key}
    tabindex=${isCurrent ? 0 : -1}
    aria-expanded=${!isCollapsed}
    aria-label=${LIST.groupLabel(name, count, isPartial)}
    @click=${() => {
      send({ type: "toggleGroup", key });
    }}
  >
    ${icon(isCollapsed ? "chevron-right" : "chevron-down")}
    <span class="group-name">${name}</span>
    <span class="count">${LIST.count(count, isPartial)}</span>
  </button>`;
}
