import { html } from "lit-html";

import { plain } from "../model/format.js";
import { pathInside } from "../model/places.js";
import type { ItemContext } from "./item.js";
import type { Part } from "./view.js";

/** A file that a run touched; one in the folder it works in can be opened. */
export function pathLink(
  place: { readonly path: string; readonly line?: number },
  { taskId, folder, send }: Pick<ItemContext, "taskId" | "folder" | "send">,
): Part {
  const { path, line } = place;
  const inside = pathInside(path, folder);
  const suffix = line === undefined ? "" : `:${line}`;
  if (inside === undefined) {
    return html`<code class="path">${plain(path)}${suffix}</code>`;
  }
  return html`<button
    type="button"
    class="link path"
    title="Open ${plain(path)}"
    @click=${() => {
      send({ type: "openFile", taskId, path, ...(line === undefined ? {} : { line }) });
    }}
  >
    <bdi>${plain(inside)}${suffix}</bdi>
  </button>`;
}
