import DOMPurify, { type Config } from "dompurify";
import MarkdownIt from "markdown-it";

import { plain } from "../model/format.js";

const markdown = new MarkdownIt({ html: false, linkify: false, breaks: true }).disable("image");

// What links elsewhere, to a command of the editor for one, stays the text it was written as.
markdown.validateLink = (url) => /^https?:/iu.test(url);

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

/**
 * Render the Markdown of a stranger: HTML in it is shown as text, only web links stay links, and
 * images become links to them.
 */
export function renderMarkdown(source: string): HTMLElement {
  const element = document.createElement("div");
  element.className = "markdown";
  element.dir = "auto";
  element.append(DOMPurify.sanitize(markdown.render(plain(source)), SAFE));
  for (const link of element.querySelectorAll("a[href]")) {
    link.setAttribute("title", link.getAttribute("href") ?? "");
  }
  return element;
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
