import DOMPurify, { type Config } from "dompurify";
import MarkdownIt, { type Token } from "markdown-it";

import { plain } from "../model/format.js";
import { withFileLinks } from "./fileLinks.js";

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });
// Only what is written as an address is one: not every name with a dot.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });

// What links elsewhere, to a command of the editor for one, stays the text it was written as.
markdown.validateLink = (url) => /^https?:/iu.test(url);

// Nothing is loaded: an image is a link to it.
markdown.renderer.rules["image"] = (tokens, at) => {
  const image = tokens[at];
  const { escapeHtml } = markdown.utils;
  const label = image?.content.trim() ?? "";
  return `<a href="${escapeHtml(String(image?.attrGet("src") ?? ""))}">${escapeHtml(label || "image")}</a>`;
};

// Columns of tables are aligned by inline styles, which the page's policy forbids.
markdown.core.ruler.push("unstyled", ({ tokens }) => {
  for (const token of tokens) {
    token.attrs = token.attrs?.filter(([name]) => name !== "style") ?? null;
  }
});

const SAFE = {
  ALLOWED_TAGS: [
    ..."p br hr em strong s code pre blockquote ul ol li a".split(" "),
    ..."h1 h2 h3 h4 h5 h6 table thead tbody tr th td".split(" "),
  ],
  ALLOWED_ATTR: ["href", "start"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^https?:/iu,
  RETURN_DOM_FRAGMENT: true as const,
} satisfies Config;

/** Each of these may be in a script of its own; code reads from left to right in any. */
const BLOCKS = "p, li, td, th, blockquote, h1, h2, h3, h4, h5, h6";

/**
 * Render the Markdown of a stranger: HTML in it is shown as text, only web links stay links, and
 * images become links to them. Places in files become buttons, which `onMarkdownClick` serves.
 */
export function renderMarkdown(source: string): HTMLElement {
  const element = document.createElement("div");
  element.className = "markdown";
  element.dir = "auto";
  element.append(DOMPurify.sanitize(htmlOf(plain(source)), SAFE));
  for (const link of element.querySelectorAll("a[href]")) {
    link.setAttribute("title", link.getAttribute("href") ?? "");
  }
  for (const block of element.querySelectorAll<HTMLElement>(BLOCKS)) {
    block.dir = "auto";
  }
  element.querySelectorAll("li").forEach(showTask);
  element.querySelectorAll("pre").forEach(addCopy);
  withFileLinks(element);
  return element;
}

/** A text that would become more elements than this would take long to lay out. */
const MOST_ELEMENTS = 1_500;

function htmlOf(source: string): string {
  const env = {};
  const tokens = markdown.parse(source, env);
  return elementCount(tokens) > MOST_ELEMENTS
    ? `<pre>${markdown.utils.escapeHtml(source)}</pre>`
    : markdown.renderer.render(tokens, markdown.options, env);
}

function elementCount(tokens: readonly Token[]): number {
  return tokens.reduce(
    (count, { tag, nesting, children }) =>
      count + (tag !== "" && nesting >= 0 ? 1 : 0) + elementCount(children ?? []),
    0,
  );
}

const BOX = /^\[([ xX])\]\s+/u;

/** Show an item of a task list with its box; the box tells, it does not take clicks. */
function showTask(item: HTMLElement): void {
  const first = item.firstChild?.nodeName === "P" ? item.firstChild.firstChild : item.firstChild;
  const mark = first instanceof Text ? BOX.exec(first.data) : null;
  if (!(first instanceof Text) || mark === null) {
    return;
  }
  const box = document.createElement("input");
  box.type = "checkbox";
  box.disabled = true;
  box.toggleAttribute("checked", mark[1] !== " ");
  box.setAttribute("aria-label", mark[1] === " " ? "open" : "done");
  first.data = first.data.slice(mark[0].length);
  first.before(box, " ");
  item.className = "task";
}

/** A line of this length, in characters, is wrapped: nobody would scroll along it. */
const LONG_LINE = 500;

function addCopy(code: HTMLElement): void {
  const frame = document.createElement("div");
  frame.className = "code";
  code.dir = "ltr";
  if (code.textContent.split("\n").some((line) => line.length > LONG_LINE)) {
    code.className = "wrapped";
  }
  const button = document.createElement("button");
  button.type = "button";
  button.className = "icon-button copy";
  button.title = "Copy";
  button.setAttribute("aria-label", "Copy the code");
  const glyph = document.createElement("span");
  glyph.className = "codicon codicon-copy";
  glyph.setAttribute("aria-hidden", "true");
  button.append(glyph);
  code.replaceWith(frame);
  frame.append(code, button);
}

/** Remember what was rendered, so that only what changed is rendered again. */
export function remembering<K extends object>(
  render: (key: K) => HTMLElement,
): (key: K) => HTMLElement {
  const rendered = new WeakMap<K, HTMLElement>();
  return (key) => {
    const known = rendered.get(key) ?? render(key);
    rendered.set(key, known);
    return known;
  };
}
