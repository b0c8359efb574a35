import { html } from "lit-html";

import { plain, valueText } from "../../text/format.js";
import { shownLog } from "../../model/shown/endTexts.js";
import { variablesOf } from "../../model/conversation/variables.js";
import { LOG, VARIABLES } from "../../model/find/parts.js";
import type { OpenRun } from "../../model/openRun.js";
import { OUTPUT } from "../../text/strings.js";
import { foldSummary } from "../common/foldSummary.js";
import type { Part } from "../common/view.js";

/** Render the variables of a run, foldable. */
export function variables({ task, stream: { conversation } }: OpenRun): Part {
  const { named, isCut } = variablesOf(task, conversation.variables);
  if (named.length === 0) {
    return undefined;
  }
  return html`<details class="fold" open data-part=${VARIABLES}>
    ${foldSummary(OUTPUT.variables(named.length))}
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

/** Render the error output of a run, folded. */
export function errorOutput({ task, stream: { conversation } }: OpenRun): Part {
  const log = shownLog(task, conversation.log);
  if (log === undefined) {
    return undefined;
  }
  const { text, lines, cutChars } = log;
  const count = Math.max(1, lines + (text.endsWith("\n") ? 0 : 1));
  return html`<details class="fold" data-part=${LOG}>
    ${foldSummary(OUTPUT.errorLines(count))}
    ${cutChars > 0 ? html`<p class="hint">${OUTPUT.cut}</p>` : undefined}
    <pre class="log" tabindex="0" aria-label=${OUTPUT.errors}>${plain(text)}</pre>
  </details>`;
}
