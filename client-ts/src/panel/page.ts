import { escaped, htmlDocument } from "../text/html.js";
import { statusBar } from "../text/strings.js";
import type { PagePlace } from "./messages.js";

export interface PageParts {
  readonly place: PagePlace;
  /** The folder that paths name `~`. */
  readonly home: string;
  /** The folders of the workspace, and the addresses under which the page may load images in them. */
  readonly folders: readonly { readonly path: string; readonly uri: string }[];
  /** The language of the texts, as in `lang`. */
  readonly language: string;
  /** What a webview calls the origin of its own files. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  /** Random and used once; only the script with this nonce runs. */
  readonly nonce: string;
}

/** Write the page of the panel, which may load one script, one style sheet and images of the workspace. */
export function pageHtml({
  place,
  home,
  folders,
  language,
  cspSource,
  scriptUri,
  styleUri,
  nonce,
}: PageParts): string {
  return htmlDocument({
    language,
    cspSource,
    allows: [`font-src ${cspSource}`, `img-src ${cspSource} data:`, `script-src 'nonce-${nonce}'`],
    styleUri,
    title: escaped(statusBar.name),
    body: `<body data-place="${place}" data-home="${escaped(home)}" data-folders="${escaped(JSON.stringify(folders))}">
    <div id="app"></div>
    <div id="announcements" class="sr-only" role="status" aria-live="polite"></div>
    <script nonce="${nonce}" src="${scriptUri}"></script>
  </body>`,
  });
}
