import MarkdownIt, { type Token } from "markdown-it";

import { isShownLink } from "./filePlace.js";
import { plain } from "./format.js";
import { MARKDOWN } from "./strings.js";

const markdown = new MarkdownIt({ html: false });
markdown.validateLink = isShownLink;

/** Return what a reader sees of Markdown, without its marks: a text for each paragraph, cell and code. */
export function readableTexts(source: string): string[] {
  return markdown
    .parse(plain(source), {})
    .filter(({ type }) => type === "inline" || type === "fence" || type === "code_block")
    .map(({ content, children }) => (children === null ? content : children.map(textOf).join("")));
}

function textOf({ type, content }: Token): string {
  switch (type) {
    case "softbreak":
    case "hardbreak":
      return "\n";
    case "image":
      return content.trim() || MARKDOWN.image;
    default:
      return content;
  }
}
