import { html } from "lit-html";

import { pathInside } from "../../../src/text/places.js";
import { placeText } from "../../model/shown/toolTexts.js";
import { HOME } from "../../text/strings.js";
import type { ItemContext } from "./context.js";
import type { Part } from "../common/view.js";

/** Render a file that a run touched, as a link if it is in the run's folder. */
export function pathLink(
  place: { readonly path: string; readonly line?: number },
  { taskId, folder, send }: Pick<ItemContext, "taskId" | "folder" | "send">,
): Part {
  const { path, line } = place;
  const inside = pathInside(path, folder);
  const text = placeText(place, folder);
  if (inside === undefined) {
    return html`<code class="path">${text}</code>`;
  }
  return html`<button
    type="button"
    class="link path"
    title=${HOME.open(text)}
    @click=${() => {
      send({ type: "openFile", taskId, path, ...(line === undefined ? {} : { line }) });
    }}
  >
    <bdi>${text}</bdi>
  </button>`;
}
