/** This near to the end counts as at the end, in CSS pixels. */
const NEAR = 24;

export type Scroller = Pick<Element, "scrollTop" | "scrollHeight" | "clientHeight">;

/** What the reader does by scrolling. */
export interface Reader {
  leftEnd(): void;
  reachedEnd(): void;
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
    if (upwards && toEnd > NEAR) {
      this.#reader.leftEnd();
    } else if (toEnd <= NEAR) {
      this.#reader.reachedEnd();
    }
  }
}

/** Change what a scroller holds, and keep the first item that the reader sees where it is. */
export function keepingPlace(scroller: HTMLElement, change: () => void): void {
  const top = scroller.getBoundingClientRect().top;
  const anchor = [...scroller.querySelectorAll("[data-item]")].find(
    (item) => item.getBoundingClientRect().bottom > top,
  );
  const before = anchor?.getBoundingClientRect().top;
  change();
  if (anchor?.isConnected === true && before !== undefined) {
    scroller.scrollTop += anchor.getBoundingClientRect().top - before;
  }
}
