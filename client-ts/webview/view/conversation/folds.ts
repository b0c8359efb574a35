import { html } from "lit-html";

import { plain, valueText } from "../../text/format.js";
import { shownLog } from "../../model/shown/endTexts.js";
import { type ShownVariables, variablesOf } from "../../model/conversation/variables.js";
import { LOG, VARIABLES } from "../../model/find/parts.js";
import type { OpenRun } from "../../model/openRun.js";
import type { TextTail } from "../../model/conversation/textTail.js";
import { OUTPUT } from "../../text/strings.js";
import type { Part } from "../common/view.js";

/** Render the variables of a run and its error output, both foldable. */
export function folds({ task, stream: { conversation } }: OpenRun): Part {
  return html`${variables(variablesOf(task, conversation.variables))}
  ${errorOutput(shownLog(task, conversation.log))}`;
}

function variables({ named, isCut }: ShownVariables): Part {
  if (named.length === 0) {
    return undefined;
  }
  return html`<details class="fold" open data-part=${VARIABLES}>
    <summary>${OUTPUT.variables(named.length)}</summary>
    ${isCut ? html`<p class="hint">${OUTPUT.newestVariables(named.length)}</p>` : undefined}
    <dl class="variables">
      ${named.map(
        ([name, value]) =>
          html`<div>
            <dt><bdi>${plain(name)}</bdi></dt>
            <dd><bdi>${plain(valueText(value))}</bdi></dd>
          </div>`,
      )}
    </dl>
  </details>`;
}

function errorOutput(log: TextTail | undefined): Part {
  if (log === undefined) {
    return undefined;
  }
  const { text, lines, cutChars } = log;
  const count = Math.max(1, lines + (text.endsWith("\n") ? 0 : 1));
  return html`<details class="fold" data-part=${LOG}>
    <summary>${OUTPUT.errorLines(count)}</summary>
    ${cutChars > 0 ? html`<p class="hint">${OUTPUT.cut}</p>` : undefined}
    <pre class="log" tabindex="0" aria-label=${OUTPUT.errors}>${plain(text)}</pre>
  </details>`;
}
