import { html } from "lit-html";

import { plain } from "../../text/format.js";
import { COMPOSER } from "../../text/strings.js";
import { icon } from "./icon.js";
import type { Part } from "./view.js";

const IMAGE = /\.(?:png|jpe?g|gif|webp)$|^image\//iu;

/** Return the icon of an attached file, or of content that is named by its type. */
export function attachedIcon(name: string): Part {
  return icon(IMAGE.test(name) ? "file-media" : "file");
}

/** Render the names of the files that an agent got with its goal. */
export function attachedFiles(names: readonly string[] = []): Part {
  return names.length === 0
    ? undefined
    : html`<ul class="chips" aria-label=${COMPOSER.attachments}>
        ${names.map(
          (name) =>
            html`<li title=${plain(name)}>${attachedIcon(name)} <bdi>${plain(name)}</bdi></li>`,
        )}
      </ul>`;
}
