import { html, type TemplateResult } from "lit-html";

/** A codicon by name, turning with `~spin`. It says nothing to a screen reader: words must. */
export function icon(name: string): TemplateResult {
  const [glyph = name, modifier] = name.split("~");
  const turning = modifier === undefined ? "" : `codicon-modifier-${modifier}`;
  return html`<span class="codicon codicon-${glyph} ${turning}" aria-hidden="true"></span>`;
}
