import { render } from "lit-html";

import type { FromWebview } from "../src/panel/messages.js";
import { isLive } from "../src/text/outcome.js";
import { announcements } from "./model/announcing.js";
import { type Place, readSaved, restore, save } from "./model/saved.js";
import type { Event } from "./model/events.js";
import { canWiden, followsEnd, hasMore } from "./model/openRun.js";
import { requestsOf } from "./model/requests.js";
import { reduce, type State } from "./model/state.js";
import { Announcer } from "./view/announcer.js";
import { app } from "./view/app.js";
import { FALLBACK_FOCUS, focusTarget } from "./view/focus.js";
import { Pace } from "./view/pacing.js";
import { EndWatch, keepingPlace, placeIn, scrollTo } from "./view/scrolling.js";

/** What a webview gets from the editor. */
export interface Host {
  postMessage(message: FromWebview): void;
  getState(): unknown;
  setState(state: unknown): void;
}

const TICK_MS = 1_000;
/** Screens drawn at the end, so that there is something to scroll back to. */
const SCREENS = 2;
/** How many events behind the place of a reader who comes back are asked for with it. */
const EVENTS_BEHIND = 60;
/** What comes in a stream, and is drawn together. */
const STREAMED: ReadonlySet<Event["type"]> = new Set(["events", "task", "run", "service"]);
/** Where a reader is, is kept this long after they came there, in ms. */
const SAVE_MS = 300;
/** How often times like "5 min ago" are drawn again when nothing runs, in ticks. */
const IDLE_TICKS = 30;

/** Keeps the page as the state has it; the only part that holds something that changes. */
export class Page {
  readonly #host: Host;
  readonly #root: HTMLElement;
  readonly #announcer: Announcer;
  readonly #since = Date.now();
  readonly #endWatch: EndWatch;
  #state: State;
  #saved: string;
  /** Where the reader was when the page was last hidden, until there is enough to scroll. */
  #scrollTo: Place | undefined;
  #frame: number | undefined;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #saving: ReturnType<typeof setTimeout> | undefined;
  readonly #pace = new Pace();
  /** What to say once the state is on the screen: that the last batch of events is. */
  #afterDrawing: FromWebview[] = [];
  #ticks = 0;

  constructor(host: Host, document: Document) {
    this.#host = host;
    this.#root = byId(document, "app");
    this.#announcer = new Announcer(byId(document, "announcements"));
    const saved = host.getState();
    this.#state = restore(saved);
    this.#saved = JSON.stringify(saved);
    this.#scrollTo = readSaved(saved).reading;
    this.#endWatch = new EndWatch({
      leftEnd: () => {
        this.send({ type: "leaveEnd" });
      },
      nearsStart: () => {
        const { open } = this.#state;
        if (open !== undefined && open.loading === undefined && hasMore(open, "before")) {
          this.send({ type: "earlier" });
        }
      },
      reachedEnd: () => {
        if (this.#scrollTo === undefined) {
          this.send({ type: "reachEnd" });
        }
      },
    });
  }

  /** Draw what is known and ask for the rest. */
  start(): void {
    this.#host.postMessage({ type: "ready" });
    const { open } = this.#state;
    if (open !== undefined) {
      const { taskId, returning } = open;
      if (returning !== undefined) {
        const seq = returning + EVENTS_BEHIND;
        this.#host.postMessage({ type: "page", taskId, side: "before", seq });
      }
      this.#host.postMessage({ type: "follow", taskId, afterSeq: 0 });
    }
    this.#root.ownerDocument.addEventListener("keydown", ({ key }) => {
      if (key === "Escape" && this.#state.open !== undefined) {
        this.send({ type: "closeRun" });
      }
    });
    setInterval(() => {
      this.#tick();
    }, TICK_MS);
    this.#draw();
  }

  /** Take what the extension tells or the reader does. */
  send(event: Event): void {
    const before = this.#state;
    const after = reduce(before, event);
    this.#state = after;
    for (const request of requestsOf(before, after, event)) {
      if (request.type === "seen") {
        this.#afterDrawing.push(request);
      } else {
        this.#host.postMessage(request);
      }
    }
    this.#announcer.say(announcements(before, after, this.#since));
    const focus = focusTarget(after, event);
    if (focus !== undefined) {
      this.#draw();
      this.#root.querySelector<HTMLElement>(focus)?.focus();
    } else if (after !== before || this.#afterDrawing.length > 0) {
      this.#drawSoon(STREAMED.has(event.type) ? this.#pace.wait : 0);
    }
  }

  /** Draw in the next frame after `wait` ms; what a reader does is not kept waiting by a stream. */
  #drawSoon(wait = 0): void {
    if (wait > 0) {
      this.#waiting ??= setTimeout(() => {
        this.#waiting = undefined;
        this.#drawSoon();
      }, wait);
      return;
    }
    this.#frame ??= requestAnimationFrame(() => {
      this.#draw();
    });
  }

  #draw(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    if (this.#frame !== undefined) {
      cancelAnimationFrame(this.#frame);
      this.#frame = undefined;
    }
    this.#pace.begin();
    this.#drawNow();
    this.#pace.end();
    for (const message of this.#afterDrawing) {
      this.#host.postMessage(message);
    }
    this.#afterDrawing = [];
  }

  #drawNow(): void {
    const scroller = this.#scroller();
    if (scroller !== null && this.#state.open?.reading !== undefined) {
      keepingPlace(scroller, () => {
        this.#render();
      });
    } else {
      this.#render();
    }
    this.#scroll();
    this.#saveSoon();
  }

  /** Draw; if that takes away what has the focus, as a cancel does its button, keep it near. */
  #render(): void {
    const { ownerDocument } = this.#root;
    const hadFocus = this.#root.contains(ownerDocument.activeElement);
    this.#renderApp();
    if (hadFocus && !this.#root.contains(ownerDocument.activeElement)) {
      this.#root.querySelector<HTMLElement>(FALLBACK_FOCUS)?.focus();
    }
  }

  #renderApp(): void {
    const view = { state: this.#state, now: Date.now(), send: this.send.bind(this) };
    render(
      app(view, ({ currentTarget }) => {
        this.#endWatch.scrolled(currentTarget as HTMLElement);
        this.#saveSoon();
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
      scroller.scrollTop = scroller.scrollHeight;
      this.#scrollTo = undefined;
      const isFull = scroller.scrollHeight >= SCREENS * scroller.clientHeight;
      if (!isFull && canWiden(open)) {
        this.send({ type: "widen" });
      }
    } else if (this.#scrollTo !== undefined && scrollTo(scroller, this.#scrollTo)) {
      this.#scrollTo = undefined;
    }
  }

  #tick(): void {
    this.#ticks += 1;
    if ((this.#state.runs ?? []).some(isLive) || this.#ticks % IDLE_TICKS === 0) {
      this.#drawSoon();
    }
  }

  /** Keep what the reader did, some time after: a reader who scrolls does much of it. */
  #saveSoon(): void {
    this.#saving ??= setTimeout(() => {
      this.#saving = undefined;
      this.#save();
    }, SAVE_MS);
  }

  #save(): void {
    const scroller = this.#scroller();
    const place = this.#scrollTo ?? (scroller === null ? undefined : placeIn(scroller));
    const saved = save(this.#state, place);
    const text = JSON.stringify(saved);
    if (text !== this.#saved) {
      this.#saved = text;
      this.#host.setState(saved);
    }
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
