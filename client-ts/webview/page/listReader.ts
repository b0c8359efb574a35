import type { StoredRow } from "../../src/panel/listMessages.js";
import type { TaskRef } from "../../src/taskRef.js";
import { entriesOf } from "../model/list/entries.js";
import { linesIn, nearsEnd, offsetsOf } from "../model/list/layout.js";
import { AHEAD, type EndSought, type ListState } from "../model/list/listState.js";
import { rangeTo } from "../view/list/selecting.js";
import type { ReaderPage } from "./reading/reader.js";

/** How long the list stays as it is before the extension learns what is in view, in ms. */
const SETTLED_MS = 200;

/** Loads the list as far as its reader goes. */
export class ListReader {
  readonly #root: HTMLElement;
  readonly #page: Pick<ReaderPage, "state" | "send">;
  readonly #report: (inView: readonly TaskRef[]) => void;
  #reported = "";
  #settling: ListState | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `report` is called with the stored tasks in and near the view when they are others. */
  constructor(
    root: HTMLElement,
    page: Pick<ReaderPage, "state" | "send">,
    report: (inView: readonly TaskRef[]) => void,
  ) {
    this.#root = root;
    this.#page = page;
    this.#report = report;
  }

  /** Note how much of the list is in view, and draw and fetch what is near it. */
  fill(): void {
    const list = this.#root.querySelector<HTMLElement>("#list");
    if (list === null) {
      return;
    }
    const { scrollTop: top, clientHeight: height, scrollHeight } = list;
    if (height > 0 && height !== this.#page.state.list.view.height) {
      this.#page.send({ type: "listScrolled", view: { top, height } });
    }
    const { history, isLoading, ahead } = this.#page.state.list;
    if (ahead < AHEAD) {
      this.#page.send({ type: "drawAhead" });
    }
    if (history?.hasMore === true && !isLoading && nearsEnd(scrollHeight, { top, height })) {
      this.#page.send({ type: "needMore" });
    }
    this.#settle();
  }

  /** Report what is in view once the list stays as it is. */
  #settle(): void {
    const { list } = this.#page.state;
    if (list === this.#settling) {
      return;
    }
    this.#settling = list;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const inView = this.#inView();
      const key = JSON.stringify(inView);
      if (key !== this.#reported) {
        this.#reported = key;
        this.#report(inView);
      }
    }, SETTLED_MS);
  }

  #inView(): readonly TaskRef[] {
    const { runs = [], list } = this.#page.state;
    const entries = entriesOf({ runs, list, now: Date.now() });
    const [first, end] = linesIn(offsetsOf(entries), list.view);
    return entries
      .slice(first, end)
      .flatMap((entry) => (entry.kind === "stored" ? [refOf(entry.row)] : []));
  }

  /** Go to the last row once all are loaded, unless the reader left the list meanwhile. */
  goToEnd({ from }: EndSought): void {
    const { state } = this.#page;
    const { runs = [], list } = state;
    const now = Date.now();
    const isInList = this.#root.ownerDocument.activeElement?.closest(".lines") != null;
    const last = entriesOf({ runs, list, now }).at(-1);
    if (list.seeksEnd !== undefined || list.history?.hasMore !== false || !isInList || !last) {
      return;
    }
    if (from !== undefined) {
      this.#page.send({ type: "select", keys: rangeTo({ state, now }, last.key, from) });
    }
    this.#page.send({ type: "moveTo", key: last.key });
  }
}

function refOf({ id, root }: StoredRow): TaskRef {
  return { id, root };
}
