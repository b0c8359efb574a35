import { MARKDOWN } from "../../text/strings.js";
import { colorCode } from "./codeColors.js";
import { languageOf } from "./languages.js";

/** Code with a line longer than this is wrapped, in characters. */
const LONG_LINE = 500;

/** Replace code by a frame with the code in colors, and buttons, which `onMarkdownClick` handles. */
export function frameCode(pre: HTMLElement): void {
  const frame = document.createElement("div");
  frame.className = "code";
  pre.dir = "ltr";
  if (pre.textContent.split("\n").some((line) => line.length > LONG_LINE)) {
    pre.className = "wrapped";
  }
  const code = pre.querySelector<HTMLElement>("code");
  const language = languageOf(code?.dataset["language"] ?? "");
  const file = code?.dataset["file"];
  if (file !== undefined) {
    frame.dataset["file"] = file;
  }
  if (code !== null && language !== undefined) {
    colorCode(code, language);
  }
  const buttons = document.createElement("div");
  buttons.className = "code-buttons";
  buttons.append(
    iconButton("copy", MARKDOWN.copy, MARKDOWN.copyLabel),
    iconButton("apply", MARKDOWN.apply, MARKDOWN.applyLabel, "git-pull-request-go-to-changes"),
    iconButton("insert", MARKDOWN.insert, MARKDOWN.insertLabel),
  );
  pre.replaceWith(frame);
  frame.append(pre, buttons);
}

function iconButton(kind: string, title: string, label: string, icon = kind): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = `icon-button ${kind}`;
  button.title = title;
  button.setAttribute("aria-label", label);
  const glyph = document.createElement("span");
  glyph.className = `codicon codicon-${icon}`;
  glyph.setAttribute("aria-hidden", "true");
  button.append(glyph);
  return button;
}
