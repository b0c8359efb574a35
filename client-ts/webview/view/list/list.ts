import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";

import { entriesOf, type Entry } from "../../model/list/entries.js";
import { linesIn, offsetsOf } from "../../model/list/layout.js";
import { LIST } from "../../text/strings.js";
import type { Part, View } from "../common/view.js";
import { deletions } from "./deletions.js";
import { group } from "./group.js";
import { listHead } from "./head.js";
import { onListKey } from "./keys.js";
import { nothingListed } from "./nothing.js";
import { runLine, storedLine } from "./row.js";

/** Render the runs and the stored tasks; only lines near the view are in the page. */
export function agentList(view: View): Part {
  const { state, now, send } = view;
  const entries = entriesOf({ runs: state.runs ?? [], list: state.list, now });
  const offsets = offsetsOf(entries);
  const current = currentOf(entries, state.list.current);
  return html`${deletions(view)} ${listHead(view)}
    <div
      class="list"
      id="list"
      @scroll=${({ currentTarget }: Event) => {
        const { scrollTop: top, clientHeight: height } = currentTarget as HTMLElement;
        send({ type: "listScrolled", view: { top, height } });
      }}
    >
      ${nothingListed(view, entries)}
      <ul
        class="lines"
        aria-label=${LIST.label}
        .style=${`height: ${offsets.at(-1) ?? 0}px`}
        @keydown=${(event: KeyboardEvent) => {
          onListKey(event, entries, current, view);
        }}
      >
        ${repeat(
          drawn(entries, linesIn(offsets, state.list.view, state.list.ahead), current),
          (at) => entries[at]?.key,
          (at) =>
            html`<li
              class="line"
              aria-level=${levelOf(entries[at])}
              aria-setsize=${entries.length}
              aria-posinset=${at + 1}
              .style=${`transform: translateY(${offsets[at] ?? 0}px); --depth: ${levelOf(entries[at]) - 1}`}
            >
              ${line(view, entries[at], at === current)}
            </li>`,
        )}
      </ul>
    </div>`;
}

/** Return the level of a line: a run is a level deeper than the one above it that launched it. */
function levelOf(entry: Entry | undefined): number {
  return entry?.kind === "run" ? entry.depth + 1 : 1;
}

/** Return the number of the line with the focus: the current one, or else the first row. */
function currentOf(entries: readonly Entry[], key: string | undefined): number {
  const at = key === undefined ? -1 : entries.findIndex((entry) => entry.key === key);
  return at >= 0 ? at : Math.min(1, entries.length - 1);
}

/** Return which lines to draw: also the current one, since it may have the focus. */
function drawn(
  entries: readonly Entry[],
  [first, end]: readonly [number, number],
  current: number,
): number[] {
  const near = entries.slice(first, end).map((_, at) => first + at);
  if (current < 0 || (current >= first && current < end)) {
    return near;
  }
  return current < first ? [current, ...near] : [...near, current];
}

function line(view: View, entry: Entry | undefined, isCurrent: boolean): Part {
  switch (entry?.kind) {
    case "group":
      return group(view, entry, isCurrent);
    case "run":
      return runLine(view, entry, isCurrent);
    case "stored":
      return storedLine(view, entry, isCurrent);
    case undefined:
      return undefined;
  }
}
