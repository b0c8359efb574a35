import DOMPurify, { type Config } from "dompurify";
import MarkdownIt, { type Token } from "markdown-it";

import { filePlace, isShownLink } from "../../text/filePlace.js";
import { plain } from "../../text/format.js";
import { MARKDOWN } from "../../text/strings.js";
import { fileInInfo, fileInLine } from "./codeFile.js";
import { frameCode } from "./codeFrame.js";
import { withFileLinks } from "./fileLinks.js";
import { languageOf } from "./languages.js";
import { withPictures } from "./pictures.js";

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });
// Link only complete addresses, not every name with a dot.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });

// Other links, such as commands of the editor, stay text.
markdown.validateLink = isShownLink;

// Show a link to the image; `Pictures` adds what needs no request to the web.
markdown.renderer.rules["image"] = (tokens, at) => {
  const image = tokens[at];
  const { escapeHtml } = markdown.utils;
  const label = image?.content.trim() ?? "";
  const address = String(image?.attrGet("src") ?? "");
  const [name, value] = linkAttribute(address);
  return (
    `<a ${name}="${escapeHtml(value)}" data-image="${escapeHtml(address)}">` +
    `${escapeHtml(label || MARKDOWN.image)}</a>`
  );
};

// `withFileLinks` makes a link to a file a button.
markdown.renderer.rules["link_open"] = (tokens, at, options, _, renderer) => {
  const link = tokens[at];
  if (link !== undefined) {
    link.attrs = [linkAttribute(String(link.attrGet("href") ?? ""))];
  }
  return renderer.renderToken(tokens, at, options);
};

function linkAttribute(address: string): [string, string] {
  return [filePlace(address) === undefined ? "href" : "data-place", address];
}

// Of the words after a fence, keep the language if its code is colored.
markdown.core.ruler.push("languages", ({ tokens }) => {
  for (const [at, token] of tokens.entries()) {
    const isFence = token.type === "fence";
    const language = isFence ? languageOf(token.info) : undefined;
    const before = isFence ? tokens.slice(Math.max(0, at - 2), at) : [];
    const file = fileInInfo(isFence ? token.info : "") ?? fileInLine(lineIn(before));
    if (file !== undefined) {
      token.attrSet("data-file", file);
    }
    token.info = "";
    if (language !== undefined) {
      token.attrSet("data-language", language);
    }
  }
});

/** Return the last line of the text that ends here. */
function lineIn([inline, end]: readonly Token[]): string {
  const ends = end?.type === "paragraph_close" || end?.type === "heading_close";
  return ends ? (inline?.content.split("\n").at(-1) ?? "") : "";
}

// The page's policy forbids inline styles, which align the columns of tables.
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
  ALLOWED_ATTR: ["href", "start", "data-language", "data-file", "data-place", "data-image"],
  // The other one is an address.
  ADD_URI_SAFE_ATTR: ["start", "data-language", "data-file", "data-place", "data-image"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^https?:/iu,
  RETURN_DOM_FRAGMENT: true as const,
} satisfies Config;

/** Each of these gets its own text direction; code is always left to right. */
const BLOCKS = "p, li, td, th, blockquote, h1, h2, h3, h4, h5, h6";

/**
 * Whether a block begins a quote or an item, whose bar or mark is on the side where it begins: only a block without
 * a direction of its own gives them one.
 */
function leads({ parentElement, previousSibling, previousElementSibling }: HTMLElement): boolean {
  const isFirst =
    previousElementSibling === null && (previousSibling?.textContent ?? "").trim() === "";
  return isFirst && parentElement?.matches("blockquote, li") === true;
}

/**
 * Render untrusted Markdown: HTML is shown as text, only web links are links, and images are links
 * whose pictures `Pictures` loads. Links into files and places in files become buttons, which
 * `onMarkdownClick` handles.
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
    if (!leads(block)) {
      block.dir = "auto";
    }
  }
  element.querySelectorAll("li").forEach(showTask);
  element.querySelectorAll("pre").forEach(frameCode);
  withPictures(element);
  withFileLinks(element);
  return element;
}

/** Render something of each kind now, so that the first message does not wait for the compilation. */
export function prepareMarkdown(): void {
  renderMarkdown(
    "# A\n\n**b** *c* `d` [e](https://example.com) https://example.com\n\n- f\n\n```\ng\n```",
  );
}

/** A text with more elements than this is shown as plain text: its layout would take too long. */
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

/** Show an item of a task list with a read-only checkbox. */
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
  box.setAttribute("aria-label", mark[1] === " " ? MARKDOWN.open : MARKDOWN.done);
  first.data = first.data.slice(mark[0].length);
  first.before(box, " ");
  item.className = "task";
}
