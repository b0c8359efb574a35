import { html } from "lit-html";

import type { AsyncTask } from "../../src/protocol.js";
import { counted } from "../../src/text/format.js";
import { plain, valueText } from "../model/format.js";
import { variablesOf } from "../model/result.js";
import { failureDetail } from "../model/words.js";
import type { OpenRun } from "../model/openRun.js";
import type { TextTail } from "../model/textTail.js";
import type { Part } from "./view.js";

/** What a run gave beside its messages: variables and its error output, each foldable. */
export function folds({ task, stream: { conversation } }: OpenRun): Part {
  return html`${variables(variablesOf(task, conversation))}
  ${isSaid(task, conversation.log) ? undefined : errorOutput(conversation.log)}`;
}

/** Whether the end of the run shows the error output already. */
function isSaid(task: AsyncTask | undefined, { text }: TextTail): boolean {
  const error = task === undefined ? undefined : failureDetail(task);
  return error !== undefined && text.trim() !== "" && error.includes(text.trim());
}

function variables(named: ReadonlyMap<string, unknown>): Part {
  if (named.size === 0) {
    return undefined;
  }
  return html`<details class="fold" open>
    <summary>${counted(named.size, "variable")}</summary>
    <dl class="variables">
      ${[...named].map(
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
    <summary>Error output, ${counted(count, "line")}</summary>
    ${cutChars > 0 ? html`<p class="hint">Only the end is shown; the transcript has it all.</p>` : undefined}
    <pre class="log" tabindex="0" aria-label="Error output">${plain(text)}</pre>
  </details>`;
}
