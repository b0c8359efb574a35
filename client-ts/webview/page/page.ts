import { render } from "lit-html";

import type { FromWebview } from "../../src/panel/messages.js";
import { isLive } from "../../src/text/outcome.js";
import { announcements } from "../model/announcing.js";
import { readSaved, restore, save } from "../model/saved.js";
import type { Event } from "../model/events.js";
import { pageEndOf } from "../model/openRun.js";
import { requestsOf } from "../model/requests.js";
import { reduce } from "../model/reduce.js";
import type { State } from "../model/state.js";
import { Ahead } from "./ahead.js";
import { Announcer } from "./announcer.js";
import { app } from "../view/app.js";
import { Pictures } from "../view/markdown/pictures.js";
import { Chords } from "./chords.js";
import { FALLBACK_FOCUS, focusTarget } from "./focus.js";
import { FocusKeeper } from "./focusKeeper.js";
import { Frames } from "./frames.js";
import { ListReader } from "./listReader.js";
import { Pace } from "./pacing.js";
import { Reader, type ReaderPage } from "./reading/reader.js";
import { Saver } from "./saver.js";

/** What the editor gives to a webview. */
export interface Host {
  postMessage(message: FromWebview): void;
  getState(): unknown;
  setState(state: unknown): void;
}

const TICK_MS = 1_000;
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
  #state: State;
  readonly #reader: Reader;
  readonly #list: ListReader;
  readonly #frames = new Frames(() => {
    this.#drawInTurn();
  });
  readonly #ahead = new Ahead(() => {
    this.#frames.soon();
  });
  readonly #pictures = new Pictures({
    ask: (path) => {
      this.#host.postMessage({ type: "picture", path });
    },
    grow: (picture, appear) => {
      this.#reader.grow(picture, appear);
      this.#frames.soon();
    },
  });
  readonly #saver: Saver;
  #savedTaskId: string | undefined;
  /** The run whose pictures the page has. */
  #picturedTaskId: string | undefined;
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
    const page = this.#readerPage();
    this.#reader = new Reader(this.#root, page, readSaved(saved).reading);
    this.#list = new ListReader(this.#root, page, (tasks) => {
      host.postMessage({ type: "tasksInView", tasks });
    });
  }

  #readerPage(): ReaderPage {
    const state = (): State => this.#state;
    return {
      get state() {
        return state();
      },
      send: (event) => {
        this.send(event);
      },
      apply: (event) => {
        this.#state = reduce(this.#state, event);
      },
    };
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
      this.#reader.noteScrolling();
    }).observe(this.#root);
    setInterval(() => {
      this.#tick();
    }, TICK_MS);
    this.#draw();
  }

  /** Handle an event from the extension or the reader. */
  send(given: Event): void {
    if (given.type === "picture") {
      this.#pictures.answered(given.path, given.version);
      return;
    }
    const event = this.#completed(given);
    if (PAGING.has(event.type)) {
      this.#reader.noteView();
    }
    const before = this.#state;
    const after = reduce(before, event);
    if (event.type === "jumpTo" || (event.type === "toQuestion" && after.open?.sought)) {
      this.#reader.want(event.seq ?? 0);
    }
    this.#state = after;
    this.#reader.arrived(event);
    for (const request of requestsOf(before, after, event)) {
      // A reload may follow: an older goal must not return in place of the one that is being launched.
      if (request.type === "noted" || request.type === "launch") {
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
      if (event.type === "focusList") {
        this.#focusKeeper.seekList();
      }
    } else if (after !== before && AT_ONCE.has(event.type)) {
      this.#draw();
    } else if (after !== before || this.#afterDrawing.length > 0) {
      this.#frames.soon(STREAMED.has(event.type) ? this.#pace.wait : 0);
    }
    if (event.type === "history" && before.list.seeksEnd !== undefined) {
      this.#list.goToEnd(before.list.seeksEnd);
    }
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
        return { ...event, ...this.#reader.searched() };
      case "launched":
      case "launchFailed":
        return { ...event, isAway: !this.#root.ownerDocument.hasFocus() };
      default:
        return event;
    }
  }

  #press(event: KeyboardEvent): void {
    const { open, place } = this.#state;
    if (event.key === "Escape" && open !== undefined && place === "sideBar") {
      this.send({ type: "closeRun" });
    } else if (isFind(event) && place === "sideBar") {
      event.preventDefault();
      event.stopPropagation(); // the editor would open the search of a text editor as well
      this.send(open === undefined ? { type: "act", action: "filter" } : { type: "find" });
    } else if (
      event.key === "End" &&
      open?.reading !== undefined &&
      this.#reader.isOfReader(event)
    ) {
      event.preventDefault(); // the browser would stop at the end of what is shown
      this.send({ type: "jumpToEnd" });
    }
  }

  /** Draw once the texts to draw are rendered. */
  #drawInTurn(): void {
    this.#frames.cancel();
    this.#reader.noteScrolling();
    if (!this.#ahead.delays(this.#reader.unrendered())) {
      this.#draw();
    }
  }

  #draw(): void {
    this.#reader.noteScrolling();
    this.#reader.narrow();
    this.#frames.cancel();
    this.#pace.begin();
    const began = performance.now();
    this.#drawNow();
    const took = performance.now() - began;
    this.#ahead.drawn();
    this.#pace.end();
    this.#reader.drawn(took);
    for (const message of this.#afterDrawing) {
      this.#host.postMessage(message);
    }
    this.#afterDrawing = [];
  }

  #drawNow(): void {
    this.#reader.keeping(() => {
      this.#render();
    });
    this.#reader.scroll();
    this.#reader.showMatches();
    this.#list.fill();
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
    this.#focusKeeper.giveSought();
  }

  /** Load new pictures once the folder is known in which the run names them. */
  #loadPictures(): void {
    const { taskId, task } = this.#state.open ?? {};
    if (taskId !== this.#picturedTaskId) {
      this.#picturedTaskId = taskId;
      this.#pictures.release();
    }
    if (task !== undefined) {
      this.#pictures.load(this.#root, task.workspaceDir);
    }
  }

  #renderApp(): void {
    const view = { state: this.#state, now: Date.now(), send: this.send.bind(this) };
    render(
      app(view, ({ type }) => {
        this.#reader.noteScrolling();
        if (type === "scrollend") {
          this.#saver.now();
        } else {
          this.#saver.soon();
        }
      }),
      this.#root,
    );
  }

  #tick(): void {
    this.#ticks += 1;
    if ((this.#state.runs ?? []).some(isLive) || this.#ticks % IDLE_TICKS === 0) {
      this.#frames.soon();
    }
  }

  /** Return the state to save, with the reader's place. */
  #snapshot(): unknown {
    return save(this.#state, this.#reader.place);
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
