import { filePlace } from "../../text/filePlace.js";
import { MARKDOWN } from "../../text/strings.js";

/**
 * A file with a line, such as `src/days.py:2`, `days.py:2:5`, `days.py:2-5` or `days.py#L2-L5`. It
 * never begins inside a word, so that long words are searched once.
 */
const PLACE =
  /(?<![\w.@/:\\-])((?:[\w.@-]+\/)*[\w@-][\w.@-]*\.[A-Za-z]\w{0,9})(?::(\d{1,7})(?:[:-]\d{1,7})?|#L(\d{1,7})(?:-L?\d{1,7})?)(?![\w/])/gu;
/** A path with a folder, recognized only in code. */
const PATH = /^(?:[\w.@-]+\/)+[\w.@-]+\.[A-Za-z]\w{0,9}$/u;

/** Replace places in files in a rendered text by buttons; their data has path and line. */
export function withFileLinks(element: HTMLElement): void {
  for (const link of element.querySelectorAll<HTMLElement>("a[data-place]")) {
    const { path = "", line } = filePlace(link.dataset["place"] ?? "") ?? {};
    const title = line === undefined ? path : `${path}:${line}`;
    link.replaceWith(fileButton(path, line, title, [...link.childNodes]));
  }
  for (const code of element.querySelectorAll("code")) {
    if (code.closest("pre, a, button") === null && PATH.test(code.textContent)) {
      code.replaceChildren(fileButton(code.textContent));
    }
  }
  for (const text of textsOf(element)) {
    const parts = partsOf(text.data);
    if (parts.length > 1) {
      text.replaceWith(...parts);
    }
  }
}

function textsOf(element: HTMLElement): Text[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (
      node instanceof Text &&
      /[:#]/u.test(node.data) &&
      node.parentElement?.closest("pre, a, button") === null
    ) {
      texts.push(node);
    }
  }
  return texts;
}

function partsOf(text: string): (string | HTMLElement)[] {
  const parts: (string | HTMLElement)[] = [];
  let done = 0;
  for (const { 0: whole, 1: path = "", 2: line, 3: anchor, index } of text.matchAll(PLACE)) {
    parts.push(text.slice(done, index), fileButton(path, Number(line ?? anchor), whole));
    done = index + whole.length;
  }
  return [...parts, text.slice(done)];
}

function fileButton(
  path: string,
  line?: number,
  label = path,
  content: readonly (string | Node)[] = [label],
): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link file";
  button.title = MARKDOWN.openFile(label);
  button.dataset["path"] = path;
  if (line !== undefined) {
    button.dataset["line"] = String(line);
  }
  button.append(...content);
  return button;
}
