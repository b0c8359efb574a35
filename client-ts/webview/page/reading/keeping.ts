import { bottomOf, itemsIn, topOf } from "./scrolling.js";

/** The list of the items, without the messages that are not delivered yet. */
const LIST = ".items:not(.unsaid)";
/** What follows the items, except the button that shows more of them. */
const TAIL = ".items ~ :not(.more)";

/** An element, and how far it is below the top of the page, in CSS pixels. */
interface Anchor {
  readonly element: HTMLElement;
  readonly top: number;
}

/**
 * Change what a scroller holds, and keep the first item that is in view, or below it, in its place; where
 * all items are above the view, what follows them.
 */
export function keepingPlace(scroller: HTMLElement, change: () => void): void {
  const anchors = anchorsIn(scroller);
  change();
  const anchor = anchors.find(({ element }) => element.isConnected);
  if (anchor !== undefined) {
    moveBack(scroller, anchor);
  }
}

/** Change the height of an element. If it begins above the view, what is in view stays. */
export function growing(scroller: HTMLElement, element: HTMLElement, change: () => void): void {
  const isAbove = topOf(element) < topOf(scroller);
  const before = scroller.scrollHeight;
  change();
  if (isAbove) {
    scroller.scrollTop += scroller.scrollHeight - before;
  }
}

function anchorsIn(scroller: HTMLElement): Anchor[] {
  const start = topOf(scroller);
  const tail = [...scroller.querySelectorAll<HTMLElement>(TAIL)];
  return [
    ...itemsIn(scroller, 0, Infinity),
    ...tail.filter((element) => bottomOf(element) > start),
  ].map((element) => ({ element, top: topOf(element) }));
}

/**
 * Scroll until an element is where it was. The browser scrolls by whole pixels, but lines are higher by a
 * part of one: the margin of the items makes up for the rest.
 */
function moveBack(scroller: HTMLElement, { element, top }: Anchor): void {
  const moved = topOf(element) - top;
  const list = scroller.querySelector<HTMLElement>(LIST);
  if (moved === 0 || list === null) {
    return;
  }
  const margin = Number.parseFloat(list.style.marginTop) || 0;
  scroller.scrollTop += moved - margin;
  const rest = margin + top - topOf(element);
  if (rest !== margin && Math.abs(rest) < 1) {
    list.style.marginTop = `${rest}px`;
  }
}
