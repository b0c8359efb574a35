import { entriesOf } from "../model/list/entries.js";
import { nearsEnd } from "../model/list/layout.js";
import type { EndSought } from "../model/list/listState.js";
import { rangeTo } from "../view/list/selecting.js";
import type { ReaderPage } from "./reader.js";

/** Loads the list as far as its reader goes. */
export class ListReader {
  readonly #root: HTMLElement;
  readonly #page: Pick<ReaderPage, "state" | "send">;

  constructor(root: HTMLElement, page: Pick<ReaderPage, "state" | "send">) {
    this.#root = root;
    this.#page = page;
  }

  /** Note how much of the list is in view, and fetch more near its end. */
  fill(): void {
    const list = this.#root.querySelector<HTMLElement>("#list");
    if (list === null) {
      return;
    }
    const { scrollTop: top, clientHeight: height, scrollHeight } = list;
    if (height > 0 && height !== this.#page.state.list.view.height) {
      this.#page.send({ type: "listScrolled", view: { top, height } });
    }
    const { history, isLoading } = this.#page.state.list;
    if (history?.hasMore === true && !isLoading && nearsEnd(scrollHeight, { top, height })) {
      this.#page.send({ type: "needMore" });
    }
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
