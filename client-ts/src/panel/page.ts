import type { PagePlace } from "./messages.js";

export interface PageParts {
  readonly place: PagePlace;
  /** The language of the texts, as in `lang`. */
  readonly language: string;
  /** What a webview calls the origin of its own files. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  /** Random and used once; only the script with this nonce runs. */
  readonly nonce: string;
}

/** Write the page of the panel, which may load one script and one style sheet. */
export function pageHtml({
  place,
  language,
  cspSource,
  scriptUri,
  styleUri,
  nonce,
}: PageParts): string {
  const policy = [
    "default-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `script-src 'nonce-${nonce}'`,
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="${styleUri}">
    <title>Subagents</title>
  </head>
  <body data-place="${place}">
    <div id="app"></div>
    <div id="announcements" class="sr-only" role="status" aria-live="polite"></div>
    <script nonce="${nonce}" src="${scriptUri}"></script>
  </body>
</html>
`;
}
