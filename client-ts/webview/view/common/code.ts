import { html } from "lit-html";

import { codeParts } from "../../text/codeParts.js";
import type { Part } from "./view.js";

/** Render text whose part between the first and the last backtick, if any, is code. */
export function withCode(text: string): Part {
  const [before, code, after] = codeParts(text);
  return code === undefined ? html`${before}` : html`${before}<code>${code}</code>${after}`;
}
