import type { PageSide } from "../../../src/panel/messages.js";
import type { Range } from "../../model/range.js";
import type { Place } from "../../model/saved.js";

/** This close to the end counts as at the end, in CSS pixels. */
const NEAR = 24;
/** A reader who scrolls up leaves the end when they are this far from it, in CSS pixels. */
const AWAY = 4;
/** This close to either end of what is shown, more is shown or fetched, in CSS pixels. */
const AHEAD = 1_000;

/** Number of screens that leave something to scroll, however the content changes. */
const FILLS = 1.3;

const ITEM = "[data-seq]";

export type Scroller = Pick<Element, "scrollTop" | "scrollHeight" | "clientHeight">;

/** What a reader does by scrolling. */
export interface Reader {
  leftEnd(): void;
  reachedEnd(): void;
  /** They come close to the beginning of what is shown. */
  nearsStart(): void;
  /** They come close to the end of what is shown. */
  nearsEnd(): void;
}

/** Distinguishes a reader's scrolling from the page's own, which calls `placed`. */
export class ScrollWatch {
  readonly #reader: Reader;
  #top = 0;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Call after every change to what the scroller shows and to its position. */
  placed({ scrollTop }: Scroller): void {
    this.#top = scrollTop;
  }

  /** Call on every scroll event, and before every change; returns whether the reader scrolled. */
  scrolled({ scrollTop, scrollHeight, clientHeight }: Scroller): boolean {
    const by = scrollTop - this.#top;
    this.#top = scrollTop;
    const toEnd = scrollHeight - scrollTop - clientHeight;
    if (by < 0) {
      this.#scrolledUp(scrollTop, toEnd);
    } else if (by > 0) {
      this.#scrolledDown(toEnd);
    }
    return by !== 0;
  }

  #scrolledUp(toStart: number, toEnd: number): void {
    if (toEnd <= AWAY) {
      return; // The view grew, and what it shows moved along.
    }
    this.#reader.leftEnd();
    if (toStart < AHEAD) {
      this.#reader.nearsStart();
    }
  }

  #scrolledDown(toEnd: number): void {
    if (toEnd <= NEAR) {
      this.#reader.reachedEnd();
    } else if (toEnd < AHEAD) {
      this.#reader.nearsEnd();
    }
  }
}

/** Whether the reader is at the very beginning of what is shown. */
export function isAtStart({ scrollTop }: Pick<Scroller, "scrollTop">): boolean {
  return scrollTop <= 0;
}

/** Whether the reader is at the very end of what is shown. */
export function isAtEnd({ scrollTop, scrollHeight, clientHeight }: Scroller): boolean {
  return scrollHeight - scrollTop - clientHeight < 1;
}

/** Whether the reader is close to an end of what is shown. */
export function isNear(
  { scrollTop, scrollHeight, clientHeight }: Scroller,
  side: PageSide,
): boolean {
  return (side === "before" ? scrollTop : scrollHeight - scrollTop - clientHeight) < AHEAD;
}

/** Return what part of the content is enough to fill the view, with something to scroll. */
export function partThatFills({ scrollHeight, clientHeight }: Scroller): number {
  return scrollHeight > 0 ? (FILLS * clientHeight) / scrollHeight : 1;
}

/** Whether all that is shown is in view: there is nothing to scroll to. */
export function showsAll({ scrollHeight, clientHeight }: Scroller): boolean {
  return clientHeight > 0 && scrollHeight <= clientHeight;
}

/** Return the place of the first item that the reader sees. */
export function placeIn(scroller: HTMLElement): Place | undefined {
  const [item] = itemsIn(scroller);
  return item === undefined
    ? undefined
    : { seq: Number(item.dataset["seq"]), below: topOf(item) - topOf(scroller) };
}

/** Scroll to where a place was: it may not be shown, or too little before or after it. */
export function scrollTo(
  scroller: HTMLElement,
  { seq, below }: Place,
): "reached" | "missing" | PageSide {
  const item =
    scroller.querySelector<HTMLElement>(`[data-seq="${seq}"]`) ?? lastBefore(scroller, seq);
  if (item === undefined) {
    return "missing";
  }
  const distance = (): number => topOf(item) - topOf(scroller) - below;
  scroller.scrollTop += distance();
  const left = distance();
  return Math.abs(left) < 1 ? "reached" : left > 0 ? "after" : "before";
}

/** Return the item that contains an event without an item of its own, if what follows it is shown too. */
function lastBefore(scroller: HTMLElement, seq: number): HTMLElement | undefined {
  const items = [...scroller.querySelectorAll<HTMLElement>(ITEM)];
  const next = items.findIndex((item) => Number(item.dataset["seq"]) > seq);
  return next > 0 ? items[next - 1] : undefined;
}

/** Return the first item that begins in view, or else the first in view. */
export function anchorIn(scroller: HTMLElement): HTMLElement | undefined {
  const items = itemsIn(scroller);
  const start = topOf(scroller);
  return items.find((item) => topOf(item) >= start) ?? items[0];
}

/** Whether the goal above the first item is in view. */
export function showsGoal(scroller: HTMLElement): boolean {
  const goal = scroller.querySelector<HTMLElement>(".goal");
  const view = scroller.getBoundingClientRect();
  return goal !== null && bottomOf(goal) > view.top && topOf(goal) < view.bottom;
}

/** Return the numbers of the items that are less than one screen out of view. */
export function rangeInView(scroller: HTMLElement): Range | undefined {
  const items = itemsIn(scroller, scroller.clientHeight, scroller.clientHeight);
  const [first, last] = [items[0], items.at(-1)];
  return first === undefined || last === undefined
    ? undefined
    : { start: Number(first.dataset["at"]), end: Number(last.dataset["at"]) + 1 };
}

/** Return the items in view, and those up to `above` and `below` CSS pixels out of it. */
export function itemsIn(scroller: HTMLElement, above = 0, below = 0): HTMLElement[] {
  const { top, bottom } = scroller.getBoundingClientRect();
  const items = [...scroller.querySelectorAll<HTMLElement>(ITEM)];
  const start = firstAt(items, (item) => bottomOf(item) > top - above);
  return items.slice(
    start,
    firstAt(items, (item) => topOf(item) >= bottom + below),
  );
}

/** Return where the items begin for which something holds that holds for all items below them, too. */
function firstAt(items: readonly HTMLElement[], holds: (item: HTMLElement) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const item = items[middle];
    if (item !== undefined && holds(item)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/** Return how far an element is below the top of the page, in CSS pixels. */
export function topOf(element: HTMLElement): number {
  return element.getBoundingClientRect().top;
}

/** The same for the end of an element. */
export function bottomOf(element: HTMLElement): number {
  return element.getBoundingClientRect().bottom;
}
