/**
 * A file with a line, as compilers and people write it: `src/days.py:2` or `days.py:2:5`. It begins
 * behind none of its own characters, so that a long row of them is searched once.
 */
const PLACE =
  /(?<![\w.@/:\\-])((?:[\w.@-]+\/)*[\w@-][\w.@-]*\.[A-Za-z]\w{0,9}):(\d{1,7})(?::\d{1,7})?(?![\w/])/gu;
/** A file in a folder, which code alone says. */
const PATH = /^(?:[\w.@-]+\/)+[\w.@-]+\.[A-Za-z]\w{0,9}$/u;

/** Make a button of each place in a file that a rendered text names; its data says which. */
export function withFileLinks(element: HTMLElement): void {
  for (const code of element.querySelectorAll("code")) {
    if (code.closest("pre, a") === null && PATH.test(code.textContent)) {
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
      node.data.includes(":") &&
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
  for (const { 0: whole, 1: path = "", 2: line = "", index } of text.matchAll(PLACE)) {
    parts.push(text.slice(done, index), fileButton(path, Number(line), whole));
    done = index + whole.length;
  }
  return [...parts, text.slice(done)];
}

function fileButton(path: string, line?: number, label = path): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link file";
  button.title = `Open ${label}`;
  button.dataset["path"] = path;
  if (line !== undefined) {
    button.dataset["line"] = String(line);
  }
  button.textContent = label;
  return button;
}
