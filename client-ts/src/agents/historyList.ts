import { isDeepStrictEqual } from "node:util";

import type * as vscode from "vscode";
import type { Disposable } from "vscode-jsonrpc/node";

import { isAnswering } from "../client/state.js";
import { pinnedTasks } from "../marks/marks.js";
import type { MarkStore } from "../marks/markStore.js";
import type { HistoryPage, StoredRow } from "../panel/listMessages.js";
import type { TaskInfo, TasksDidChange } from "../protocol.js";
import { refusalWords } from "../refusals/refusalWords.js";
import type { SubagentService } from "../service/service.js";
import { AGE_MS, type Selection, StoredTasks } from "../service/storedTasks.js";
import { taskParams, type TaskRef } from "../taskRef.js";
import { coalesced, Throttle } from "../util/coalesce.js";
import { changesBetween } from "../util/rowChanges.js";
import { TotalsLine } from "../views/totalsLine.js";
import { openFolders } from "../windows/owner.js";
import type { ListChoice } from "./listOptions.js";
import { type RowContext, storedRowOf } from "./storedRow.js";

const REFRESH_MS = 500;
/** How often tasks that changed are read, in ms. */
const CHANGES_MS = 1_000;
/** How often a list that takes long to read is read again as a whole. */
const LONG_REFRESH_MS = 5_000;
/** A list with more tasks than this takes long to read. */
const LONG = 1_000;
/** The most pinned tasks that are shown, the newest of them. */
const MOST_PINNED = 50;

/** Return the history as commands change it. */
export function historyView(choice: ListChoice, history: HistoryList) {
  return {
    get filter() {
      return choice.options.filter;
    },
    setFilter: (filter: string) => choice.setFilter(filter),
    loadMore: () => history.loadMore(),
    refresh: () => history.refresh(),
  };
}

/** Reads the stored tasks for the list while it is visible, and posts them page by page. */
export class HistoryList implements Disposable {
  readonly #service: SubagentService;
  readonly #choice: ListChoice;
  readonly #marks: MarkStore;
  readonly #stored: StoredTasks;
  readonly #totals: TotalsLine;
  readonly #subscriptions: vscode.Disposable[];
  /** One at a time: a read waits while the sidecar starts, and others would pile up behind it. */
  readonly #reload = coalesced(() => this.#readAgain());
  readonly #update = coalesced(() => this.#readChanged());
  readonly #changes = new Throttle(CHANGES_MS, () => void this.#update());
  /** The ids of tasks that changed since they were read. */
  #changed = new Set<string>();
  readonly #soon = new Throttle(REFRESH_MS, () => void this.#reload());
  readonly #later = new Throttle(LONG_REFRESH_MS, () => void this.#reload());
  readonly #aging: NodeJS.Timeout;
  #post: ((page: HistoryPage) => void) | undefined;
  /** The rows that the page has. */
  #sent: readonly StoredRow[] = [];
  /** The row of each task that is listed, as long as nothing else changes what it shows. */
  #rows = new WeakMap<TaskInfo, StoredRow>();
  #contextKey = "";
  #isReading = false;
  #pinned: readonly TaskInfo[] = [];
  #problem: string | undefined;

  constructor(service: SubagentService, choice: ListChoice, marks: MarkStore) {
    this.#service = service;
    this.#marks = marks;
    this.#choice = choice;
    this.#stored = new StoredTasks((params) => service.request("tasks/list", params));
    this.#totals = new TotalsLine(
      (params) => service.request("tasks/stats", params),
      () => {
        this.#send(this.#sent.length);
      },
    );
    this.#aging = setInterval(() => {
      this.#refreshIfShown();
    }, AGE_MS);
    this.#subscriptions = [
      choice.onDidChange(() => void this.#select()),
      marks.onDidChange(() => void this.#marksChanged()),
      service.onDidChangeState((state) => {
        if (isAnswering(state)) {
          this.#refreshIfShown();
        }
      }),
      service.onDidChangeHistory((change) => {
        this.#historyChanged(change);
      }),
    ];
  }

  /** Return the title of a task that was read. */
  titleOf({ id, root = this.#service.info?.storageRoot }: TaskRef): string | undefined {
    const tasks = [...this.#pinned, ...this.#stored.items];
    return tasks.find((task) => task.id === id && task.root === root)?.title;
  }

  /** Return those of the named tasks that are listed. */
  tasksOf(refs: readonly TaskRef[]): readonly TaskInfo[] {
    const keys = new Set(refs.map(({ root, id }) => `${root} ${id}`));
    const listed = [...this.#pinned, ...this.#stored.items];
    return listed.filter(({ root, id }) => keys.size > 0 && keys.delete(`${root} ${id}`));
  }

  /** Begin to post to a page that shows nothing yet. */
  show(post: (page: HistoryPage) => void): void {
    this.#post = post;
    this.#sent = [];
    if (this.#stored.isRead) {
      this.#send(0);
      this.#refreshIfShown();
    } else {
      void this.#select();
    }
  }

  /** Stop posting until the next `show`. */
  hide(): void {
    this.#post = undefined;
  }

  /** Read and post the next tasks; does nothing while others are read. */
  async loadMore(): Promise<void> {
    if (this.#stored.hasMore && !this.#isReading) {
      await this.#read(() => this.#stored.loadMore(), this.#stored.items.length);
    }
  }

  /** Make the sidecar scan all stored tasks again. Rejects when it is unavailable. */
  async refresh(): Promise<void> {
    await this.#service.request("tasks/refresh", {});
    await this.#reload();
  }

  dispose(): void {
    clearInterval(this.#aging);
    this.#changes.dispose();
    this.#soon.dispose();
    this.#later.dispose();
    this.#totals.dispose();
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  #refreshIfShown(): void {
    if (this.#post !== undefined && this.#service.state.kind !== "failed") {
      (this.#stored.items.length > LONG ? this.#later : this.#soon).call();
    }
  }

  /** Read what changed; without ids, all may have changed. */
  #historyChanged({ added = [], changed = [], removed = [] }: Partial<TasksDidChange>): void {
    if (this.#post === undefined || this.#service.state.kind === "failed") {
      return; // The next page reads everything, and so does the next sidecar.
    }
    const ids = [...added, ...changed, ...removed];
    ids.forEach((id) => this.#changed.add(id));
    if (ids.length > 0) {
      this.#changes.call();
    } else {
      this.#refreshIfShown();
    }
  }

  /** Read what the user chose to see. */
  async #select(): Promise<void> {
    const selection = this.#chosen();
    await this.#read(() => this.#stored.select(selection));
  }

  #chosen(): Selection {
    const { filter, sort, scope } = this.#choice.options;
    const folders = openFolders();
    const isLimited = scope === "workspace" && folders.length > 0;
    return { filter, sort, ...(isLimited ? { folders } : {}) };
  }

  /** Whether what was read is what the user chose; not after a read for a new choice that failed. */
  get #isChosen(): boolean {
    return this.#stored.isRead && isDeepStrictEqual(this.#stored.selection, this.#chosen());
  }

  async #readChanged(): Promise<void> {
    const ids = this.#changed;
    if (ids.size === 0) {
      return;
    }
    if (!this.#stored.isUpdatable(ids)) {
      this.#refreshIfShown();
      return;
    }
    this.#changed = new Set();
    await (this.#isChosen ? this.#read(() => this.#stored.update(ids), 0, ids) : this.#select());
  }

  async #readAgain(): Promise<void> {
    const ids = this.#changed;
    this.#changed = new Set();
    await (this.#isChosen ? this.#read(() => this.#stored.reload(), 0, ids) : this.#select());
  }

  /** Make a change to what was read; tasks that it was to read are read the next time if it fails. */
  async #read(
    change: () => Promise<void>,
    from = 0,
    ids: ReadonlySet<string> = new Set(),
  ): Promise<void> {
    this.#isReading = true;
    try {
      await Promise.all([change(), from === 0 ? this.#readPinned() : undefined]);
      this.#problem = undefined;
      this.#totals.follow(this.#stored.query);
    } catch (error) {
      ids.forEach((id) => this.#changed.add(id));
      this.#problem = isAnswering(this.#service.state) ? refusalWords(error) : undefined;
    } finally {
      this.#isReading = false;
    }
    this.#send(from);
  }

  /** Read the pinned tasks, wherever they are in the list; those that are gone are left out. */
  async #readPinned(): Promise<void> {
    const tasks = pinnedTasks(this.#marks.marks).slice(-MOST_PINNED);
    const read = tasks.map(async (task) => {
      try {
        return (await this.#service.request("tasks/get", taskParams(task))).task;
      } catch {
        return undefined;
      }
    });
    this.#pinned = (await Promise.all(read)).filter((task) => task !== undefined);
  }

  async #marksChanged(): Promise<void> {
    this.#rows = new WeakMap();
    if (this.#post !== undefined && this.#stored.isRead) {
      await this.#readPinned();
      this.#send(0);
    }
  }

  #send(from: number): void {
    if (this.#post === undefined || !(this.#stored.isRead || this.#problem !== undefined)) {
      return;
    }
    const { items, matched, total, hasMore } = this.#stored;
    const context = this.#context();
    const rows = items.map((task) => this.#rowOf(task, context));
    this.#post({
      ...this.#choice.options,
      ...this.#whatDiffers(rows, from),
      ...{ matched, total, hasMore },
      pinned: this.#pinned.map((task) => storedRowOf(task, context)),
      totals: this.#totals.textFor(this.#stored.query),
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
    });
  }

  /** Return the rows from one on, or what makes them from those that the page has, if that is less. */
  #whatDiffers(rows: readonly StoredRow[], from: number) {
    const before = this.#sent;
    const changes = from === 0 ? changesBetween(before, rows) : undefined;
    if (changes === undefined || changes.added.length === rows.length) {
      const more = rows.slice(from);
      this.#sent = [...before.slice(0, from), ...more];
      return { rows: more, from };
    }
    this.#sent = rows;
    const isSame = changes.added.length + changes.removed.length === 0;
    return { rows: [], from: before.length, ...(isSame ? {} : { changes }) };
  }

  /** Return what rows depend on; other folders or another own root make other rows. */
  #context(): RowContext {
    const [folders, ownRoot] = [openFolders(), this.#service.info?.storageRoot];
    const key = JSON.stringify([ownRoot, folders]);
    if (key !== this.#contextKey) {
      this.#contextKey = key;
      this.#rows = new WeakMap();
    }
    const markOf = (task: TaskRef) => this.#marks.of(task);
    return { ownRoot, folders, markOf };
  }

  #rowOf(task: TaskInfo, context: RowContext): StoredRow {
    const known = this.#rows.get(task) ?? storedRowOf(task, context);
    this.#rows.set(task, known);
    return known;
  }
}
