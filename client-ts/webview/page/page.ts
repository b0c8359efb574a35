import { render } from "lit-html";

import type { FromWebview, PageSide } from "../../src/panel/messages.js";
import { isLive } from "../../src/text/outcome.js";
import { announcements } from "../model/announcing.js";
import { readSaved, restore, save } from "../model/saved.js";
import type { Event } from "../model/events.js";
import { entriesOf } from "../model/list/entries.js";
import type { EndSought } from "../model/list/listState.js";
import { nearsEnd } from "../model/list/layout.js";
import {
  canWiden,
  followsEnd,
  hasMore,
  type OpenRun,
  narrowed,
  pageEndOf,
  type Seen,
  seenOf,
} from "../model/openRun.js";
import { turnAt } from "../model/conversation/turns.js";
import { requestsOf } from "../model/requests.js";
import { reduce } from "../model/reduce.js";
import type { State } from "../model/state.js";
import { Announcer } from "./announcer.js";
import { app } from "../view/app.js";
import { rangeTo } from "../view/list/selecting.js";
import { Pictures } from "../view/markdown/pictures.js";
import { Chords } from "./chords.js";
import { EndFollower } from "./endFollower.js";
import { FALLBACK_FOCUS, focusTarget } from "./focus.js";
import { FocusKeeper } from "./focusKeeper.js";
import { Matches, selectedText } from "./matches.js";
import { Frames } from "./frames.js";
import { Pace } from "./pacing.js";
import { ReaderPlace } from "./readerPlace.js";
import { Saver } from "./saver.js";
import {
  anchorIn,
  growing,
  isAtEnd,
  isAtStart,
  keepingPlace,
  partThatFills,
  placeIn,
  rangeInView,
  ScrollWatch,
  showsAll,
  showsGoal,
} from "./scrolling.js";

/** What the editor gives to a webview. */
export interface Host {
  postMessage(message: FromWebview): void;
  getState(): unknown;
  setState(state: unknown): void;
}

const TICK_MS = 1_000;
/** The space above a turn that the reader jumps to, in CSS pixels, and above the first, in views. */
const ABOVE = 12;
const ABOVE_FIRST = 0.5;
/** Number of screens drawn at the end, so that there is something to scroll back to. */
const SCREENS = 2;
/** Events that arrive in a stream and are drawn together. */
const STREAMED: ReadonlySet<Event["type"]> = new Set(["events", "task", "run", "service"]);
/** Events that show more on one side and may remove what is far away on the other. */
const PAGING: ReadonlySet<Event["type"]> = new Set(["earlier", "later", "reachEnd", "page"]);
/** Events that decide what the next key does: it may come before the next frame. */
const AT_ONCE: ReadonlySet<Event["type"]> = new Set([
  "write",
  "pointMention",
  "toggleGroup",
  "jumpToEnd",
  "fillIn",
]);
/** How often times like "5m ago" are redrawn while nothing runs, in ticks. */
const IDLE_TICKS = 30;

/** Draws the state and sends events to it. All mutable state of the page is here. */
export class Page {
  readonly #host: Host;
  readonly #root: HTMLElement;
  readonly #announcer: Announcer;
  /** What had the focus when the reader last went to a question. */
  #soughtFrom: Element | null = null;
  readonly #since = Date.now();
  readonly #scrollWatch: ScrollWatch;
  readonly #end = new EndFollower();
  #state: State;
  /** What is on the screen of the open conversation, and what has arrived since. */
  #seen: Seen | undefined;
  readonly #place: ReaderPlace;
  readonly #matches = new Matches();
  readonly #frames = new Frames(() => {
    this.#draw();
  });
  readonly #pictures = new Pictures({
    ask: (path) => {
      this.#host.postMessage({ type: "picture", path });
    },
    grow: (picture, appear) => {
      this.#grow(picture, appear);
    },
  });
  readonly #saver: Saver;
  #savedTaskId: string | undefined;
  readonly #pace = new Pace();
  readonly #chords = new Chords();
  readonly #focusKeeper: FocusKeeper;
  /** Messages to send once the state is on the screen. */
  #afterDrawing: FromWebview[] = [];
  #ticks = 0;

  constructor(host: Host, document: Document) {
    this.#host = host;
    this.#root = byId(document, "app");
    this.#focusKeeper = new FocusKeeper(this.#root);
    this.#announcer = new Announcer(byId(document, "announcements"));
    const saved = host.getState();
    const place = document.body.dataset["place"] === "editor" ? "editor" : "sideBar";
    this.#state = restore(saved, place);
    this.#savedTaskId = this.#state.open?.taskId;
    this.#saver = new Saver(
      saved,
      () => this.#snapshot(),
      (state) => {
        host.setState(state);
      },
    );
    this.#place = new ReaderPlace(readSaved(saved).reading);
    this.#scrollWatch = new ScrollWatch({
      leftEnd: () => {
        this.#place.forgetWanted();
        this.send({ type: "leaveEnd", ...(this.#seen && { seen: this.#seen }) });
      },
      nearsStart: () => {
        this.#showMore("before");
      },
      nearsEnd: () => {
        if (this.#state.open?.reading !== undefined) {
          this.#showMore("after");
        }
      },
      reachedEnd: () => {
        if (this.#place.wanted === undefined) {
          this.send({ type: "reachEnd" });
        }
      },
    });
  }

  /** Draw what is known and request the rest. */
  start(): void {
    this.#host.postMessage({ type: "ready" });
    const { open } = this.#state;
    if (open !== undefined) {
      const { taskId, returning } = open;
      if (returning !== undefined) {
        this.#host.postMessage({ type: "page", taskId, side: "before", seq: pageEndOf(returning) });
      }
      this.#host.postMessage({ type: "follow", taskId, afterSeq: 0 });
    }
    this.#focusKeeper.start();
    this.#root.ownerDocument.addEventListener("keydown", (event) => {
      this.#chords.press(event);
      this.#press(event);
    });
    this.#root.ownerDocument.defaultView?.addEventListener("resize", () => {
      this.#frames.soon();
    });
    // A taller view moves what it shows along; the event of this scrolling may come after the next change.
    new ResizeObserver(() => {
      this.#noteScrolling();
    }).observe(this.#root);
    setInterval(() => {
      this.#tick();
    }, TICK_MS);
    this.#draw();
  }

  /** Handle an event from the extension or the reader. */
  send(given: Event): void {
    if (given.type === "picture") {
      this.#pictures.answered(given.path, given.isShown);
      return;
    }
    const event = this.#completed(given);
    if (PAGING.has(event.type)) {
      this.#noteView();
    }
    const before = this.#state;
    const after = reduce(before, event);
    if (event.type === "jumpTo" || (event.type === "toQuestion" && after.open?.sought)) {
      const seq = event.seq ?? 0;
      this.#place.want({ seq, below: this.#roomAbove(seq) });
    }
    this.#state = after;
    this.#noteArrival(event);
    for (const request of requestsOf(before, after, event)) {
      if (request.type === "noted") {
        this.#saver.now();
      }
      if (request.type === "seen") {
        this.#afterDrawing.push(request);
      } else {
        this.#host.postMessage(request);
      }
    }
    this.#announcer.say(announcements(before, after, this.#since));
    const focus = this.#hasMovedSince(event) ? undefined : focusTarget(after, event);
    if (focus !== undefined) {
      this.#draw();
      this.#focus(focus);
    } else if (after !== before && AT_ONCE.has(event.type)) {
      this.#draw();
    } else if (after !== before || this.#afterDrawing.length > 0) {
      this.#frames.soon(STREAMED.has(event.type) ? this.#pace.wait : 0);
    }
    if (event.type === "history" && before.list.seeksEnd !== undefined) {
      this.#goToEnd(after, before.list.seeksEnd);
    }
  }

  /** Go to the last row once all are loaded, unless the reader left the list meanwhile. */
  #goToEnd(state: State, { from }: EndSought): void {
    const { runs = [], list } = state;
    const now = Date.now();
    const isInList = this.#root.ownerDocument.activeElement?.closest(".lines") != null;
    const last = entriesOf({ runs, list, now }).at(-1);
    if (list.seeksEnd !== undefined || list.history?.hasMore !== false || !isInList || !last) {
      return;
    }
    if (from !== undefined) {
      this.send({ type: "select", keys: rangeTo({ state, now }, last.key, from) });
    }
    this.send({ type: "moveTo", key: last.key });
  }

  /** Whether the user went elsewhere in the page since a question was sought that this page of the run may have. */
  #hasMovedSince({ type }: Event): boolean {
    const now = this.#root.ownerDocument.activeElement;
    if (type === "toQuestion") {
      this.#soughtFrom = now;
    }
    return type === "page" && now !== this.#soughtFrom && now !== this.#root.ownerDocument.body;
  }

  #focus(target: string): void {
    const element = this.#root.querySelector<HTMLElement>(target);
    if (element !== null) {
      this.#focusKeeper.want(element);
    }
  }

  /** Add to an event what only the page knows: the words to search, and whether the user went elsewhere meanwhile. */
  #completed(event: Event): Event {
    switch (event.type) {
      case "find":
        return { ...event, ...this.#searched() };
      case "launched":
      case "launchFailed":
        return { ...event, isAway: !this.#root.ownerDocument.hasFocus() };
      default:
        return event;
    }
  }

  /** Return what the reader selected, to search it, and the event from which on they read. */
  #searched(): { readonly text?: string; readonly from: number } {
    const scroller = this.#scroller();
    const text = selectedText(scroller);
    const isAtGoal = scroller !== null && showsGoal(scroller);
    const seq = scroller === null || isAtGoal ? 0 : Number(anchorIn(scroller)?.dataset["seq"] ?? 0);
    return { from: seq, ...(text === undefined ? {} : { text }) };
  }

  #press(event: KeyboardEvent): void {
    const { open, place } = this.#state;
    if (event.key === "Escape" && open !== undefined && place === "sideBar") {
      this.send({ type: "closeRun" });
    } else if (isFind(event) && place === "sideBar") {
      event.preventDefault();
      this.send(open === undefined ? { type: "act", action: "filter" } : { type: "find" });
    } else if (event.key === "End" && open?.reading !== undefined && this.#isOfReader(event)) {
      event.preventDefault(); // the browser would stop at the end of what is shown
      this.send({ type: "jumpToEnd" });
    }
  }

  /** Whether a key is for the conversation: not for a field in it, nor for the composer. */
  #isOfReader({ target }: KeyboardEvent): boolean {
    const isField = target instanceof Element && target.matches("input, textarea, select");
    return !isField && target instanceof Node && this.#scroller()?.contains(target) === true;
  }

  #noteArrival(event: Event): void {
    if (event.type === "events" && event.taskId === this.#seen?.taskId) {
      this.#seen = { ...this.#seen, since: [...this.#seen.since, event] };
    }
  }

  #showMore(side: PageSide): void {
    const { open } = this.#state;
    if (open !== undefined && open.loading === undefined && hasMore(open, side)) {
      this.send({ type: side === "before" ? "earlier" : "later" });
    }
  }

  /** Note which items are in view: they must stay to keep the reader's place. */
  #noteView(): void {
    const scroller = this.#scroller();
    const range = scroller === null ? undefined : rangeInView(scroller);
    if (range !== undefined) {
      this.#state = reduce(this.#state, { type: "inView", range });
    }
  }

  #draw(): void {
    this.#noteScrolling();
    this.#narrow();
    this.#frames.cancel();
    this.#pace.begin();
    this.#drawNow();
    this.#pace.end();
    const { open } = this.#state;
    this.#seen = open && seenOf(open);
    for (const message of this.#afterDrawing) {
      this.#host.postMessage(message);
    }
    this.#afterDrawing = [];
  }

  /** Change the height of an element; what the reader reads below it stays. */
  #grow(element: HTMLElement, change: () => void): void {
    const scroller = this.#scroller();
    if (scroller?.contains(element) === true && this.#keepsPlace) {
      this.#noteScrolling();
      growing(scroller, element.parentElement ?? element, change);
      this.#scrollWatch.placed(scroller);
    } else {
      change();
    }
    this.#frames.soon();
  }

  /** Whether what is in view stays, rather than the end. */
  get #keepsPlace(): boolean {
    return this.#end.isAtQuestion || this.#isReading();
  }

  /** Draw only the end of a flood; what came before it follows in the next frames. */
  #narrow(): void {
    const { open } = this.#state;
    const [seen, scroller] = [this.#seen, this.#scroller()];
    if (open === undefined || seen?.taskId !== open.taskId || scroller === null) {
      return;
    }
    const weight = narrowed(open, seen.shown, partThatFills(scroller));
    if (weight !== undefined) {
      this.#state = reduce(this.#state, { type: "narrow", weight });
    }
  }

  #drawNow(): void {
    const scroller = this.#scroller();
    if (scroller !== null && this.#keepsPlace) {
      keepingPlace(scroller, () => {
        this.#render();
      });
    } else {
      this.#render();
    }
    this.#scroll();
    this.#showMatches();
    this.#fillList();
    this.#save();
  }

  /** Save the state: at once if another conversation is open, which a reload could not find otherwise. */
  #save(): void {
    const taskId = this.#state.open?.taskId;
    if (taskId === this.#savedTaskId) {
      this.#saver.soon();
    } else {
      this.#savedTaskId = taskId;
      this.#saver.now();
    }
  }

  /** Mark what the reader searches, and scroll to the match that they are at. */
  #showMatches(): void {
    const [scroller, { open }] = [this.#scroller(), this.#state];
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
    this.send({ type: "revealed" });
  }

  /** Note how much of the list is in view, and fetch more near its end. */
  #fillList(): void {
    const list = this.#root.querySelector<HTMLElement>("#list");
    if (list === null) {
      return;
    }
    const { scrollTop: top, clientHeight: height, scrollHeight } = list;
    if (height > 0 && height !== this.#state.list.view.height) {
      this.send({ type: "listScrolled", view: { top, height } });
    }
    const { history, isLoading } = this.#state.list;
    if (history?.hasMore === true && !isLoading && nearsEnd(scrollHeight, { top, height })) {
      this.send({ type: "needMore" });
    }
  }

  /** Handle scrolling whose event has not fired yet, and another width. */
  #noteScrolling(): void {
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

  /** Note the turn to which the reader scrolled. */
  #noteTurn(scroller: HTMLElement): void {
    const { open } = this.#state;
    const seq = Number(anchorIn(scroller)?.dataset["seq"]);
    if (open?.reading === undefined || open.turns === undefined || Number.isNaN(seq)) {
      return;
    }
    if (open.at === undefined || turnAt(open.turns, open.at) !== turnAt(open.turns, seq)) {
      this.send({ type: "readAt", seq });
    }
  }

  /** Return how far below the top of the view a turn is shown; the goal is above the first. */
  #roomAbove(seq: number): number {
    const isFirst = this.#state.open?.turns?.[0]?.seq === seq;
    return isFirst ? ABOVE_FIRST * (this.#scroller()?.clientHeight ?? 0) : ABOVE;
  }

  #isReading(): boolean {
    return this.#state.open?.reading !== undefined;
  }

  /** Draw. If the focused element disappears, as the Cancel button does, move the focus nearby. */
  #render(): void {
    const { ownerDocument } = this.#root;
    const hadFocus = this.#root.contains(ownerDocument.activeElement);
    this.#renderApp();
    this.#loadPictures();
    if (hadFocus && !this.#root.contains(ownerDocument.activeElement)) {
      this.#focus(FALLBACK_FOCUS);
    } else if (!hadFocus) {
      this.#focusKeeper.giveFirst();
    }
  }

  /** Load new pictures once the folder is known in which the run names them. */
  #loadPictures(): void {
    const task = this.#state.open?.task;
    if (task !== undefined) {
      this.#pictures.load(this.#root, task.workspaceDir);
    }
  }

  #renderApp(): void {
    const view = { state: this.#state, now: Date.now(), send: this.send.bind(this) };
    render(
      app(view, ({ type }) => {
        this.#noteScrolling();
        if (type === "scrollend") {
          this.#saver.now();
        } else {
          this.#saver.soon();
        }
      }),
      this.#root,
    );
  }

  #scroll(): void {
    const scroller = this.#scroller();
    const { open } = this.#state;
    if (scroller === null || open === undefined) {
      return;
    }
    if (followsEnd(open)) {
      this.#end.follow(scroller);
      this.#scrollWatch.placed(scroller);
      this.#place.forgetWanted();
      const isFull = scroller.scrollHeight >= SCREENS * scroller.clientHeight;
      if (!isFull && canWiden(open)) {
        this.send({ type: "widen" });
      }
    } else if (!this.#place.restore(scroller)) {
      this.#showBelow(open);
    }
    this.#scrollWatch.placed(scroller);
    if (open.reading !== undefined) {
      this.#place.note(scroller);
      this.#scrollBeyond(scroller, open);
    }
  }

  /** Show more below a place that cannot be scrolled to, or stay where the content ends. */
  #showBelow(open: OpenRun): void {
    if (hasMore(open, "after")) {
      this.#showMore("after");
    } else {
      this.#place.forgetWanted();
    }
  }

  /** Act for a reader at the first or last of what is shown, who cannot scroll on to ask for more. */
  #scrollBeyond(scroller: HTMLElement, open: OpenRun): void {
    if (isAtStart(scroller)) {
      this.#showMore("before");
      if (showsAll(scroller) && !hasMore(open, "before") && open.loading === undefined) {
        this.send({ type: "reachEnd" });
      }
    } else if (isAtEnd(scroller) && open.keepsTail !== true) {
      this.#showMore("after");
    }
  }

  #tick(): void {
    this.#ticks += 1;
    if ((this.#state.runs ?? []).some(isLive) || this.#ticks % IDLE_TICKS === 0) {
      this.#frames.soon();
    }
  }

  /** Return the state to save, with the reader's place. */
  #snapshot(): unknown {
    const scroller = this.#scroller();
    const place = this.#place.wanted ?? (scroller === null ? undefined : placeIn(scroller));
    return save(this.#state, place);
  }

  #scroller(): HTMLElement | null {
    return this.#root.querySelector<HTMLElement>("#scroller");
  }
}

function byId(document: Document, id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) {
    throw new Error(`The page has no element #${id}.`);
  }
  return element;
}

/** Whether a key asks for a search. The editor has it for a page in an editor, but not for one in the side bar. */
function isFind({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === "f";
}
