import { html } from "lit-html";

import { counted } from "../../src/text/format.js";
import type { DiffRow } from "../model/diff.js";
import { exact, plain } from "../model/format.js";
import type { ToolDiff } from "../model/items.js";
import type { ItemContext } from "./item.js";
import { pathLink } from "./pathLink.js";
import type { Part } from "./view.js";

/** A change to a file, by lines; the whole of it is a click away, in the editor's own diff. */
export function diff(change: ToolDiff, context: ItemContext): Part {
  const { added, removed, rows, left, seq, index, path } = change;
  const words = `${counted(added, "line")} added, ${removed} removed`;
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
      <button
        type="button"
        class="link"
        aria-label="Open Diff of ${plain(path)}"
        @click=${openDiff}
      >
        Open Diff
      </button>
    </figcaption>
    <pre tabindex="0" role="group" aria-label="Changed lines of ${plain(path)}">
${rows.map(rowView)}</pre>
    ${left > 0 ? html`<p class="hint">${counted(left, "more line")}: open the diff.</p>` : undefined}
  </figure>`;
}

const SIGNS: Record<DiffRow["kind"], string> = { same: " ", old: "-", new: "+", gap: "⋯" };

function rowView({ kind, text }: DiffRow): Part {
  // One line, since all white space shows.
  return html`<span class="row row-${kind}">${SIGNS[kind]} ${exact(text)} </span>`;
}
