import { occurrencesOf } from "../../model/find/occurrences.js";
import { textAt } from "../../model/find/find.js";
import type { OpenRun } from "../../model/openRun.js";
import { shownOf } from "../../model/openRun.js";
import { rangeAt, type ShownText, shownText } from "./shownText.js";

/** A longer selection is not what somebody searches, in characters. */
const MOST_SELECTED = 200;
/** Where in the view a match is scrolled to, and how near to its border it may stay, in parts of the view. */
const AT = 0.3;
const BORDER = 0.06;

/**
 * Marks what the reader searches in the parts of a conversation that are drawn.
 *
 * Marks are highlights of the browser, not elements, so they change neither text nor layout.
 */
export class Matches {
  readonly #all = new Highlight();
  readonly #current = new Highlight();
  #marked: readonly unknown[] = [];
  #range: Range | undefined;
  /** The part of the current match, if nothing in it can be marked. */
  #part: HTMLElement | undefined;

  constructor() {
    this.#all.priority = 1;
    this.#current.priority = 2;
    CSS.highlights.set("find", this.#all);
    CSS.highlights.set("find-current", this.#current);
  }

  /** Mark the matches that are drawn, if they changed. */
  mark(scroller: HTMLElement | null, open: OpenRun | undefined): void {
    const find = open?.find;
    const { start, end } = open === undefined ? { start: 0, end: 0 } : shownOf(open);
    const { query = "", matches = [], current = -1 } = find ?? {};
    const { stream, task, files, signIn } = open ?? {};
    const facts = [query, matches, current, stream?.conversation, start, end, task, files, signIn];
    if (facts.every((fact, at) => fact === this.#marked[at])) {
      return;
    }
    this.#marked = facts;
    this.#all.clear();
    this.#current.clear();
    this.#range = this.#part = undefined;
    if (scroller !== null && find !== undefined && query !== "") {
      this.#mark(scroller, query, textAt(find)?.key, matches[current]?.nth ?? 0);
    }
  }

  /** Scroll to the current match unless it is in view, and unfold what hides it; return whether there is one. */
  reveal(scroller: HTMLElement): boolean {
    const target = this.#range ?? this.#part;
    if (target === undefined) {
      return false;
    }
    const start = target instanceof Range ? target.startContainer : target;
    unfold(start, scroller);
    for (let box = start.parentElement; box !== null; box = box.parentElement) {
      scrollInto(box, target);
      if (box === scroller) {
        break;
      }
    }
    return true;
  }

  #mark(scroller: HTMLElement, query: string, key: string | undefined, nth: number): void {
    const page = scroller.closest(".conversation") ?? scroller;
    for (const part of page.querySelectorAll<HTMLElement>(PARTS)) {
      const shown = shownText(part);
      const ranges = rangesIn(shown, query);
      const isCurrent = keyOf(part) === key;
      const chosen = isCurrent ? (ranges[nth] ?? ranges.at(-1)) : undefined;
      if (isCurrent) {
        this.#part = part;
        this.#range = chosen;
      }
      for (const range of ranges) {
        (range === chosen ? this.#current : this.#all).add(range);
      }
    }
  }
}

const PARTS = "[data-item], [data-part]";

function keyOf({ dataset }: HTMLElement): string | undefined {
  return dataset["item"] ?? dataset["part"];
}

function rangesIn(shown: ShownText, query: string): Range[] {
  return occurrencesOf(shown.text, query).map((span) => rangeAt(shown, span));
}

function unfold(start: Node, scroller: HTMLElement): void {
  for (let at = start.parentElement; at !== null && at !== scroller; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) {
      at.open = true;
    }
  }
}

/** Scroll a box so that what is in it can be seen, unless it can be already. */
function scrollInto(box: HTMLElement, target: Range | HTMLElement): void {
  const [view, at] = [box.getBoundingClientRect(), target.getBoundingClientRect()];
  if (box.scrollHeight > box.clientHeight + 1) {
    const border = BORDER * view.height;
    if (at.top < view.top + Math.max(border, coverOf(box)) || at.bottom > view.bottom - border) {
      box.scrollTop += at.top - view.top - AT * view.height;
    }
  }
  if (box.scrollWidth > box.clientWidth + 1 && (at.left < view.left || at.right > view.right)) {
    box.scrollLeft += at.left - view.left - AT * view.width;
  }
}

/** Return how much of the top of a box the field of the search covers, in CSS pixels. */
function coverOf(box: HTMLElement): number {
  const bar = box.parentElement?.querySelector(":scope > .find");
  return bar?.getBoundingClientRect().height ?? 0;
}

/** Return what the reader selected in the conversation, if it is a few words on a line. */
export function selectedText(scroller: HTMLElement | null): string | undefined {
  const selection = document.getSelection();
  const text = selection?.toString().trim() ?? "";
  const isInside = scroller?.contains(selection?.anchorNode ?? null) === true;
  return isInside && text !== "" && text.length <= MOST_SELECTED && !text.includes("\n")
    ? text
    : undefined;
}
