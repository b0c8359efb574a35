import { FALLBACK_FOCUS, LIST_FOCUS } from "./focus.js";

/**
 * Gives the focus of a page to an element of it: the editor focuses a page as a whole, where keys do nothing,
 * and takes the focus from the element that had it whenever something else gets it.
 */
export class FocusKeeper {
  readonly #root: HTMLElement;
  #last: Element | undefined;
  /** What gets the focus with the page, instead of what had it last. */
  #wanted: HTMLElement | undefined;
  /** Whether a button of the mouse is down: the page gets the focus by a click, which chooses the element. */
  #isPointing = false;
  #hasPointed = false;
  /** Whether the goal got the focus because the list was empty, and the user has not typed since. */
  #isStopgap = false;
  /** Whether the list gets the focus as soon as it has rows, unless the user acts before. */
  #isListSought = false;

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  /** Begin to note what has the focus. */
  start(): void {
    const { ownerDocument: document } = this.#root;
    this.#root.addEventListener("focusin", ({ target }) => {
      this.#last = target instanceof Element ? target : undefined;
      this.#wanted = undefined;
      this.#isStopgap = false;
    });
    this.#root.addEventListener("input", () => {
      this.#isStopgap = false;
    });
    document.addEventListener("keydown", () => {
      this.#isListSought = false;
    });
    for (const [type, isPointing] of [
      ["pointerdown", true],
      ["pointerup", false],
      ["pointercancel", false],
    ] as const) {
      document.addEventListener(type, () => {
        this.#isPointing = isPointing;
        this.#hasPointed = true;
        this.#isStopgap = this.#isListSought = false;
      });
    }
    document.defaultView?.addEventListener("focus", () => {
      this.give();
    });
  }

  /** Do so if the page got the focus before there was anything to focus. */
  giveFirst(): void {
    if (this.#last === undefined && this.#wanted === undefined && !this.#hasPointed) {
      this.give();
    }
  }

  /** Focus the list, or the conversation in its place, as soon as the page has it. */
  seekList(): void {
    this.#isListSought = true;
    this.giveSought();
  }

  /** Do so if the page has it now. */
  giveSought(): void {
    const found = this.#isListSought ? this.#root.querySelector(LIST_FOCUS) : null;
    if (found instanceof HTMLElement) {
      this.#isListSought = false;
      this.want(found);
    }
  }

  /** Focus an element. If the user is elsewhere, do so when the page gets the focus: it may not take it from them. */
  want(target: HTMLElement): void {
    const { ownerDocument: document } = this.#root;
    if (document.hasFocus()) {
      focus(target);
    } else {
      blur(document.activeElement);
      this.#wanted = target;
    }
  }

  /** Focus what should have it, or had the focus last, or else the list or the conversation, if the page has it as a whole. */
  give(): void {
    const { ownerDocument: document } = this.#root;
    const isWhole = document.activeElement === null || document.activeElement === document.body;
    if (!document.hasFocus() || !(isWhole || this.#isStopgap) || this.#isPointing) {
      return;
    }
    if (this.#wanted?.isConnected === true) {
      focus(this.#wanted);
      return;
    }
    const isKept = this.#last?.isConnected === true && !this.#isStopgap;
    const target = isKept ? this.#last : this.#root.querySelector(FALLBACK_FOCUS);
    if (target instanceof HTMLElement) {
      target.focus({ preventScroll: true });
      this.#isStopgap = !isKept && target.id === "goal";
    }
  }
}

function focus(target: HTMLElement): void {
  target.focus();
  if (target instanceof HTMLInputElement) {
    target.select();
  }
}

function blur(element: Element | null): void {
  if (element instanceof HTMLElement) {
    element.blur();
  }
}
