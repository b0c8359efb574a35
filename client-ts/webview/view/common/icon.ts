import { html, type TemplateResult } from "lit-html";

/** Render a codicon by name, spinning with `~spin`. Screen readers ignore it. */
export function icon(name: string): TemplateResult {
  const [glyph = name, modifier] = name.split("~");
  const turning = modifier === undefined ? "" : `codicon-modifier-${modifier}`;
  return html`<span class="codicon codicon-${glyph} ${turning}" aria-hidden="true"></span>`;
}
