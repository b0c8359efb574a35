import type { PageSide } from "../../../src/panel/messages.js";
import { turnAt } from "../../model/conversation/turns.js";
import type { Event } from "../../model/events.js";
import { PAGE } from "../../model/range.js";
import {
  addedWeight,
  canWiden,
  followsEnd,
  hasMore,
  narrowed,
  type OpenRun,
  type Seen,
  seenOf,
  showsFirstLoaded,
} from "../../model/openRun.js";
import type { Place } from "../../model/saved.js";
import type { State } from "../../model/state.js";
import type { Unrendered } from "../../view/markdown/remembering.js";
import { EndFollower } from "./endFollower.js";
import { growing, keepingPlace } from "./keeping.js";
import { Matches, selectedText } from "./matches.js";
import { Portions } from "./portions.js";
import { ReaderPlace } from "./readerPlace.js";
import {
  anchorIn,
  isAtEnd,
  isAtStart,
  isNear,
  partThatFills,
  placeIn,
  rangeInView,
  ScrollWatch,
  showsAll,
  showsGoal,
} from "./scrolling.js";
import { unrendered } from "./unrendered.js";

/** The space above a turn that the reader jumps to, in CSS pixels, and above the first, in views. */
const ABOVE = 12;
const ABOVE_FIRST = 0.5;
/** What is shown of a conversation before it is drawn. */
const NONE = { start: 0, end: 0 };
/** Number of screens drawn at the end, so that there is something to scroll back to. */
const SCREENS = 2;

/** What the reader of a conversation needs of its page. */
export interface ReaderPage {
  readonly state: State;
  /** Handle an event. */
  send(event: Event): void;
  /** Apply an event without drawing: the caller is about to draw. */
  apply(event: Event): void;
}

/** Where the reader of the open conversation is, and what they see of it. */
export class Reader {
  readonly #root: HTMLElement;
  readonly #page: ReaderPage;
  readonly #scrollWatch: ScrollWatch;
  readonly #end = new EndFollower();
  readonly #place: ReaderPlace;
  readonly #matches = new Matches();
  readonly #portions = new Portions(PAGE);
  /** To which end of what is shown the reader scrolled close. */
  #nears: PageSide | undefined;
  /** What is on the screen, and what has arrived since. */
  #seen: Seen | undefined;

  /** Begin at the place that an earlier page kept. */
  constructor(root: HTMLElement, page: ReaderPage, place: Place | undefined) {
    this.#root = root;
    this.#page = page;
    this.#place = new ReaderPlace(place);
    this.#scrollWatch = new ScrollWatch({
      leftEnd: () => {
        this.#place.forgetWanted();
        this.#page.send({ type: "leaveEnd", ...(this.#seen && { seen: this.#seen }) });
      },
      nearsStart: () => {
        this.#nears = "before";
        this.#showMore("before");
      },
      nearsEnd: () => {
        if (this.#page.state.open?.reading !== undefined) {
          this.#nears = "after";
          this.#showMore("after");
        }
      },
      reachedEnd: () => {
        if (this.#place.wanted === undefined) {
          this.#page.send({ type: "reachEnd" });
        }
      },
    });
  }

  /** Handle scrolling whose event has not fired yet, and another width. */
  noteScrolling(): void {
    const scroller = this.#scroller();
    if (scroller === null) {
      return;
    }
    if (this.#isReading() && this.#place.hold(scroller)) {
      this.#scrollWatch.placed(scroller);
    } else if (this.#scrollWatch.scrolled(scroller)) {
      this.#noteTurn(scroller);
    }
    if (this.#isReading()) {
      this.#place.note(scroller);
    }
  }

  /** Note which items are in view: they must stay to keep the reader's place. */
  noteView(): void {
    const scroller = this.#scroller();
    const range = scroller === null ? undefined : rangeInView(scroller);
    if (range !== undefined) {
      this.#page.apply({ type: "inView", range });
    }
  }

  /** Note a batch that arrived for what is on the screen. */
  arrived(event: Event): void {
    if (event.type === "events" && event.taskId === this.#seen?.taskId) {
      this.#seen = { ...this.#seen, since: [...this.#seen.since, event] };
    }
  }

  /** Return what the reader selected, to search it, and the event from which on they read. */
  searched(): { readonly text?: string; readonly from: number } {
    const scroller = this.#scroller();
    const text = selectedText(scroller);
    const isAtGoal = scroller !== null && showsGoal(scroller);
    const seq = scroller === null || isAtGoal ? 0 : Number(anchorIn(scroller)?.dataset["seq"] ?? 0);
    return { from: seq, ...(text === undefined ? {} : { text }) };
  }

  /** Go to an event once it is drawn. */
  want(seq: number): void {
    this.#place.want({ seq, below: this.#roomAbove(seq) });
  }

  /** Draw by a callback; what the reader reads keeps its place. */
  keeping(draw: () => void): void {
    const scroller = this.#scroller();
    if (scroller !== null && this.#keepsPlace) {
      keepingPlace(scroller, draw);
    } else {
      draw();
    }
  }

  /** Note what is on the screen now, and how long it took to draw, in ms. */
  drawn(took: number): void {
    const { open } = this.#page.state;
    const before = this.#seen?.taskId === open?.taskId ? this.#seen?.shown : undefined;
    this.#seen = open && seenOf(open);
    if (open !== undefined) {
      this.#portions.note(addedWeight(open, before ?? NONE), took);
      const { weight } = this.#portions;
      if (weight !== open.portion) {
        this.#page.apply({ type: "portion", weight });
      }
    }
  }

  /** Where the reader is, to be restored with the page. */
  get place(): Place | undefined {
    const scroller = this.#scroller();
    return this.#place.wanted ?? (scroller === null ? undefined : placeIn(scroller));
  }

  /** Whether a key is for the conversation: not for a field in it, nor for the composer. */
  isOfReader({ target }: KeyboardEvent): boolean {
    const isField = target instanceof Element && target.matches("input, textarea, select");
    return !isField && target instanceof Node && this.#scroller()?.contains(target) === true;
  }

  /** Change the height of an element; what the reader reads below it stays. */
  grow(element: HTMLElement, change: () => void): void {
    const scroller = this.#scroller();
    if (scroller?.contains(element) === true && this.#keepsPlace) {
      this.noteScrolling();
      growing(scroller, element.parentElement ?? element, change);
      this.#scrollWatch.placed(scroller);
    } else {
      change();
    }
  }

  /** Draw only the end of a flood; what came before it follows in the next frames. */
  narrow(): void {
    const weight = this.#narrowed();
    if (weight !== undefined) {
      this.#page.apply({ type: "narrow", weight });
    }
  }

  /** Return the texts that the next drawing shows and that are not rendered. */
  unrendered(): Unrendered[] {
    const { open } = this.#page.state;
    const endWeight = this.#narrowed();
    return open === undefined ? [] : unrendered({ ...open, ...(endWeight && { endWeight }) });
  }

  #narrowed(): number | undefined {
    const { open } = this.#page.state;
    const [seen, scroller] = [this.#seen, this.#scroller()];
    return open === undefined || seen?.taskId !== open.taskId || scroller === null
      ? undefined
      : narrowed(open, seen.shown, partThatFills(scroller));
  }

  /** Scroll to where the reader is, once the state is drawn, and show more if that is needed. */
  scroll(): void {
    const scroller = this.#scroller();
    const { open } = this.#page.state;
    if (scroller === null || open === undefined) {
      return;
    }
    if (followsEnd(open)) {
      this.#end.follow(scroller);
      this.#scrollWatch.placed(scroller);
      this.#place.forgetWanted();
      const isFull = scroller.scrollHeight >= SCREENS * scroller.clientHeight;
      if (!isFull && canWiden(open)) {
        this.#page.send({ type: "widen" });
      }
    } else {
      this.#showAround(open, this.#place.restore(scroller));
    }
    this.#scrollWatch.placed(scroller);
    if (open.reading !== undefined) {
      this.#place.note(scroller);
      this.#scrollBeyond(scroller, open);
      this.#fillAhead(scroller);
    }
  }

  /** Mark what the reader searches, and scroll to the match that they are at. */
  showMatches(): void {
    const [scroller, { open }] = [this.#scroller(), this.#page.state];
    const isArriving = open?.returning !== undefined;
    this.#matches.mark(scroller, open);
    if (scroller === null || open?.find?.isRevealing !== true || isArriving) {
      return;
    }
    if (this.#matches.reveal(scroller)) {
      this.#scrollWatch.placed(scroller);
      this.#noteTurn(scroller);
    }
    if (this.#isReading()) {
      this.#place.note(scroller);
    }
    this.#page.send({ type: "revealed" });
  }

  #showMore(side: PageSide): void {
    const { open } = this.#page.state;
    if (open !== undefined && open.loading === undefined && hasMore(open, side)) {
      this.#page.send({ type: side === "before" ? "earlier" : "later" });
    }
  }

  /** Whether what is in view stays, rather than the end. */
  get #keepsPlace(): boolean {
    return this.#end.isAtQuestion || this.#isReading();
  }

  /** Note the turn to which the reader scrolled. */
  #noteTurn(scroller: HTMLElement): void {
    const { open } = this.#page.state;
    const seq = Number(anchorIn(scroller)?.dataset["seq"]);
    if (open?.reading === undefined || open.turns === undefined || Number.isNaN(seq)) {
      return;
    }
    if (open.at === undefined || turnAt(open.turns, open.at) !== turnAt(open.turns, seq)) {
      this.#page.send({ type: "readAt", seq });
    }
  }

  /** Return how far below the top of the view a turn is shown; the goal is above the first. */
  #roomAbove(seq: number): number {
    const isFirst = this.#page.state.open?.turns?.[0]?.seq === seq;
    return isFirst ? ABOVE_FIRST * (this.#scroller()?.clientHeight ?? 0) : ABOVE;
  }

  #isReading(): boolean {
    return this.#page.state.open?.reading !== undefined;
  }

  /** Show more where a place lacks it that cannot be scrolled to, or stay where the content ends. */
  #showAround(open: OpenRun, lacking: PageSide | undefined): void {
    const isLeft = lacking === "before" ? !showsFirstLoaded(open) : hasMore(open, "after");
    if (lacking !== undefined && isLeft) {
      this.#showMore(lacking);
    } else if (lacking !== undefined) {
      this.#place.forgetWanted();
    }
  }

  /** Act for a reader at the first or last of what is shown, who cannot scroll on to ask for more. */
  #scrollBeyond(scroller: HTMLElement, open: OpenRun): void {
    if (isAtStart(scroller)) {
      this.#showMore("before");
      if (showsAll(scroller) && !hasMore(open, "before") && open.loading === undefined) {
        this.#page.send({ type: "reachEnd" });
      }
    } else if (isAtEnd(scroller) && open.keepsTail !== true) {
      this.#showMore("after");
    }
  }

  /** Show another portion in the next frame while the reader is close to the end of what is shown. */
  #fillAhead(scroller: HTMLElement): void {
    if (this.#nears !== undefined && isNear(scroller, this.#nears)) {
      this.#showMore(this.#nears);
    } else {
      this.#nears = undefined;
    }
  }

  #scroller(): HTMLElement | null {
    return this.#root.querySelector<HTMLElement>("#scroller");
  }
}
