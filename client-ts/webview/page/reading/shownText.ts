import { SEPARATOR, type Span } from "../../model/find/occurrences.js";

/** Elements whose text is next to that of others, not part of it. */
const BLOCKS = [
  "p, li, td, th, blockquote, h1, h2, h3, h4, h5, h6, pre, dt, dd, label, button:not(.file), .row, .choice-title",
  ".tool-name, .tool-subject, .tool-rule, .path, .answered > span, .choice .hint",
].join();
/** What a reader searches: the words of a conversation, not what the page adds to them. */
const SEARCHED = [
  ".markdown, .sent > p, .goal > p, .goal .chips bdi, .thinking > p, .plan li",
  ".tool-name, .tool-subject, .tool-rule, .tool-parts pre, .path, .diff pre",
  ".ask, .form-message, .answered, .form-values, .variables",
  ".log, .failure, .ending-state, .ending > p, .changed-file",
].join();
const ADDED = [
  ".sr-only, .code-buttons, .codicon, .ask .actions, .changed-file .hint, .diff-count",
  "[data-unsearched]",
].join();
/** Elements that show a text in several pieces, in another order. */
const WHOLE = "[data-words]";

/** A text of the page, or an element that shows one as a whole, and where it begins. */
interface Piece {
  readonly node: Text | HTMLElement;
  readonly start: number;
}

/** The text of an element, and the pieces that it is made of. */
export interface ShownText {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

/** Return what a reader sees of a part of a conversation, folded or not. */
export function shownText(part: HTMLElement): ShownText {
  const pieces: Piece[] = [];
  let text = "";
  let block: Element | null | undefined;
  const add = (node: Text | HTMLElement, own: Element, words: string): void => {
    text += block === undefined || block === own ? "" : SEPARATOR;
    block = own;
    pieces.push({ node, start: text.length });
    text += words;
  };
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!(node instanceof Text) || parent === null || !isSearched(parent)) {
      continue;
    }
    const whole = parent.closest<HTMLElement>(WHOLE);
    if (whole === null) {
      add(node, parent.closest(BLOCKS) ?? part, node.data);
    } else if (whole !== block) {
      add(whole, whole, whole.dataset["words"] ?? "");
    }
  }
  return { text, pieces };
}

function isSearched(parent: Element): boolean {
  return parent.closest(SEARCHED) !== null && parent.closest(ADDED) === null;
}

/** Return the range of a span of a shown text. */
export function rangeAt({ pieces }: ShownText, { start, end }: Span): Range {
  const range = document.createRange();
  const first = pieces.findLast((each) => each.start <= start);
  const last = pieces.findLast((each) => each.start < end);
  if (first !== undefined && last !== undefined) {
    begin(range, first, start);
    finish(range, last, end);
  }
  return range;
}

function begin(range: Range, { node, start }: Piece, at: number): void {
  if (node instanceof Text) {
    range.setStart(node, at - start);
  } else {
    range.setStart(node, 0);
  }
}

function finish(range: Range, { node, start }: Piece, at: number): void {
  if (node instanceof Text) {
    range.setEnd(node, at - start);
  } else {
    range.setEnd(node, node.childNodes.length);
  }
}
