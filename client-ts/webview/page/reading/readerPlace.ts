import type { PageSide } from "../../../src/panel/messages.js";
import type { Place } from "../../model/saved.js";
import { anchorIn, scrollTo, topOf } from "./scrolling.js";

/** Keeps the place of a reader who is not at the end: over a reload, and while the width changes. */
export class ReaderPlace {
  #wanted: Place | undefined;
  #anchor: { readonly element: HTMLElement; readonly below: number } | undefined;
  #width: number | undefined;

  /** `wanted` is the place to return to, once it is loaded. */
  constructor(wanted: Place | undefined) {
    this.#wanted = wanted;
  }

  /** The place to return to, until it is reached. */
  get wanted(): Place | undefined {
    return this.#wanted;
  }

  /** Go to a place once it is loaded. */
  want(place: Place): void {
    this.#wanted = place;
  }

  forgetWanted(): void {
    this.#wanted = undefined;
  }

  /** Return to the wanted place, if any; return on which side too little is shown for it. */
  restore(scroller: HTMLElement): PageSide | undefined {
    const found = this.#wanted === undefined ? "missing" : scrollTo(scroller, this.#wanted);
    if (found === "reached") {
      this.#wanted = undefined;
    }
    return found === "reached" || found === "missing" ? undefined : found;
  }

  /** Note what is in view. */
  note(scroller: HTMLElement): void {
    const element = anchorIn(scroller);
    this.#anchor = element && { element, below: topOf(element) - topOf(scroller) };
    this.#width = scroller.clientWidth;
  }

  /** Bring what was in view back if another width has moved it; return whether it did. */
  hold(scroller: HTMLElement): boolean {
    if (this.#width === undefined || this.#width === scroller.clientWidth) {
      return false;
    }
    this.#width = scroller.clientWidth;
    if (this.#anchor?.element.isConnected === true) {
      const { element, below } = this.#anchor;
      scroller.scrollTop += topOf(element) - topOf(scroller) - below;
    }
    return true;
  }
}
