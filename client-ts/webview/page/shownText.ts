import { SEPARATOR, type Span } from "../model/find/occurrences.js";

/** Elements whose text is next to that of others, not part of it. */
const BLOCKS =
  "p, li, td, th, blockquote, h1, h2, h3, h4, h5, h6, pre, code.tool-subject, .tool-name, .row";
/** What a reader searches in an item: its words, not what the page adds to them. */
const SEARCHED =
  ".markdown, .sent > p, .goal > p, .thinking > p, .tool-name, .tool-subject, .tool-parts pre, .diff pre, .ask";
const ADDED = ".sr-only, .code-buttons, .codicon, .ask .actions";

/** The text of an element, and the nodes that it is made of, with where they begin in it. */
export interface ShownText {
  readonly text: string;
  readonly nodes: readonly { readonly node: Text; readonly start: number }[];
}

/** Return what a reader sees of a part of a conversation, folded or not. */
export function shownText(part: HTMLElement): ShownText {
  const nodes: { node: Text; start: number }[] = [];
  let text = "";
  let block: Element | null | undefined;
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!(node instanceof Text) || !isSearched(parent)) {
      continue;
    }
    const own = parent?.closest(BLOCKS) ?? part;
    text += block === undefined || block === own ? "" : SEPARATOR;
    block = own;
    nodes.push({ node, start: text.length });
    text += node.data;
  }
  return { text, nodes };
}

function isSearched(parent: Element | null): boolean {
  return parent?.closest(SEARCHED) != null && parent.closest(ADDED) === null;
}

/** Return the range of a span of a shown text. */
export function rangeAt({ nodes }: ShownText, { start, end }: Span): Range {
  const range = document.createRange();
  const first = nodes.findLast((each) => each.start <= start);
  const last = nodes.findLast((each) => each.start < end);
  if (first !== undefined && last !== undefined) {
    range.setStart(first.node, start - first.start);
    range.setEnd(last.node, end - last.start);
  }
  return range;
}
