import { html } from "lit-html";

import type { AsyncTask } from "../../../src/protocol.js";
import { plain, valueText } from "../../text/format.js";
import { type ShownVariables, variablesOf } from "../../model/conversation/variables.js";
import { failureDetail } from "../../text/words.js";
import type { OpenRun } from "../../model/openRun.js";
import type { TextTail } from "../../model/conversation/textTail.js";
import { OUTPUT } from "../../text/strings.js";
import type { Part } from "../common/view.js";

/** Render the variables of a run and its error output, both foldable. */
export function folds({ task, stream: { conversation } }: OpenRun): Part {
  return html`${variables(variablesOf(task, conversation.variables))}
  ${isShown(task, conversation.log) ? undefined : errorOutput(conversation.log)}`;
}

/** Whether the end of the run already shows the error output. */
function isShown(task: AsyncTask | undefined, { text }: TextTail): boolean {
  const error = task === undefined ? undefined : failureDetail(task);
  return error !== undefined && text.trim() !== "" && error.includes(text.trim());
}

function variables({ named, isCut }: ShownVariables): Part {
  if (named.length === 0) {
    return undefined;
  }
  return html`<details class="fold" open>
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

function errorOutput({ text, lines, cutChars }: TextTail): Part {
  if (text === "") {
    return undefined;
  }
  const count = Math.max(1, lines + (text.endsWith("\n") ? 0 : 1));
  return html`<details class="fold">
    <summary>${OUTPUT.errorLines(count)}</summary>
    ${cutChars > 0 ? html`<p class="hint">${OUTPUT.cut}</p>` : undefined}
    <pre class="log" tabindex="0" aria-label=${OUTPUT.errors}>${plain(text)}</pre>
  </details>`;
}
