import type { Place } from "../model/saved.js";

/** This near to the end counts as at the end, in CSS pixels. */
const NEAR = 24;
/** This near to an end of what is shown more is fetched, before the reader comes to it. */
const AHEAD = 400;

export type Scroller = Pick<Element, "scrollTop" | "scrollHeight" | "clientHeight">;

/** What the reader does by scrolling. */
export interface Reader {
  leftEnd(): void;
  reachedEnd(): void;
  /** They come near to the beginning of what is shown. */
  nearsStart(): void;
}

/** Tells the reader's own scrolling from that of a page which grows. */
export class EndWatch {
  readonly #reader: Reader;
  #lastTop = 0;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Call on every scroll event. */
  scrolled({ scrollTop, scrollHeight, clientHeight }: Scroller): void {
    const toEnd = scrollHeight - scrollTop - clientHeight;
    const upwards = scrollTop < this.#lastTop - 1;
    this.#lastTop = scrollTop;
    if (upwards && scrollTop < AHEAD) {
      this.#reader.nearsStart();
    }
    if (upwards && toEnd > NEAR) {
      this.#reader.leftEnd();
    } else if (toEnd <= NEAR) {
      this.#reader.reachedEnd();
    }
  }
}

/** The first item that the reader sees. */
export function placeIn(scroller: HTMLElement): Place | undefined {
  const item = firstSeen(scroller);
  return item === undefined
    ? undefined
    : { seq: Number(item.dataset["seq"]), below: topOf(item) - topOf(scroller) };
}

/** Scroll to where a place was; false where it is not. */
export function scrollTo(scroller: HTMLElement, { seq, below }: Place): boolean {
  const item = scroller.querySelector<HTMLElement>(`[data-seq="${seq}"]`);
  if (item === null) {
    return false;
  }
  scroller.scrollTop += topOf(item) - topOf(scroller) - below;
  return true;
}

/** Change what a scroller holds, and keep the first item that the reader sees where it is. */
export function keepingPlace(scroller: HTMLElement, change: () => void): void {
  const anchor = firstSeen(scroller);
  const before = anchor && topOf(anchor);
  change();
  if (anchor?.isConnected === true && before !== undefined) {
    scroller.scrollTop += topOf(anchor) - before;
  }
}

function firstSeen(scroller: HTMLElement): HTMLElement | undefined {
  const top = topOf(scroller);
  return [...scroller.querySelectorAll<HTMLElement>("[data-seq]")].find(
    (item) => item.getBoundingClientRect().bottom > top,
  );
}

function topOf(element: HTMLElement): number {
  return element.getBoundingClientRect().top;
}
