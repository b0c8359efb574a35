import { html } from "lit-html";

import { type DiffRow, SIGNS } from "../../model/conversation/diff.js";
import { exact } from "../../text/format.js";
import type { ToolDiff } from "../../model/conversation/items.js";
import { placeText } from "../../model/shown/toolTexts.js";
import { DIFF } from "../../text/strings.js";
import type { ItemContext } from "./context.js";
import { pathLink } from "./pathLink.js";
import type { Part } from "../common/view.js";

/** Render a file change by lines, with a button that opens the editor's diff. */
export function diff(change: ToolDiff, context: ItemContext): Part {
  const { added, removed, rows, left, seq, index, path } = change;
  const name = placeText({ path }, context.folder);
  const words = DIFF.counts(added, removed);
  const openDiff = (): void => {
    context.send({ type: "openDiff", taskId: context.taskId, seq, index });
  };
  return html`<figure class="diff">
    <figcaption>
      ${pathLink({ path }, context)}
      <span class="diff-count" title=${words}>
        <span class="sr-only">${words}</span>
        <span class="diff-added" aria-hidden="true">+${added}</span>
        <span class="diff-removed" aria-hidden="true">−${removed}</span>
      </span>
      <button type="button" class="link" aria-label=${DIFF.openOf(name)} @click=${openDiff}>
        ${DIFF.open}
      </button>
    </figcaption>
    <pre tabindex="0" role="group" aria-label=${DIFF.lines(name)}>${rows.map(rowView)}</pre>
    ${left > 0 ? html`<p class="hint">${DIFF.more(left)}</p>` : undefined}
  </figure>`;
}

function rowView({ kind, text }: DiffRow): Part {
  // On one line, since all whitespace is visible.
  return html`<span class="row row-${kind}">${SIGNS[kind]} ${exact(text)} </span>`;
}
