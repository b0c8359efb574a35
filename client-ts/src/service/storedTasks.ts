import { merged, type NumericSort, reusing } from "./mergedTasks.js";
import type { ListParams, ListResult, TaskInfo } from "../protocol.js";

/** What stored tasks are sorted by. */
export const SORTS = ["recent", "cost", "duration", "messages", "title"] as const;
export type Sort = (typeof SORTS)[number];

/** How many tasks the first read gets: enough for a screen, and quick. */
export const PAGE = 200;
/** How many tasks a later read gets. */
export const LATER_PAGE = 2_000;
/** The most tasks that the sidecar gives at once. */
export const MOST_AT_ONCE = 20_000;

/** How often tasks are read again because the status of some depends on their age, in ms. */
export const AGE_MS = 600_000;

/** More tasks than this are read again with all others. */
export const MOST_UPDATED = 50;

/** Which tasks are listed, and in which order. */
export interface Selection {
  /** In the query language; "" selects all. */
  readonly filter: string;
  /** Absolute paths; undefined selects tasks of all folders. */
  readonly folders?: readonly string[];
  readonly sort: Sort;
}

const SORT_BY = {
  recent: { by: "lastActivity", order: "desc" },
  cost: { by: "cost", order: "desc" },
  duration: { by: "duration", order: "desc" },
  messages: { by: "messages", order: "desc" },
  title: { by: "title", order: "asc" },
} as const satisfies Record<Sort, ListParams["sort"]>;

/** A growing list of stored tasks under one selection. */
export class StoredTasks {
  #selection: Selection = { filter: "", sort: "recent" };
  #items: readonly TaskInfo[] = [];
  #matched = 0;
  #total = 0;
  #cursor: string | undefined;
  /** The last task of the last page, where the cursor is. */
  #end: TaskInfo | undefined;
  #isRead = false;
  /** Counts selections, so that the answer to a read under an earlier one is ignored. */
  #selections = 0;
  /** Settles after the last read: each begins with the list that the one before left. */
  #turn: Promise<void> = Promise.resolve();

  constructor(private readonly list: (params: ListParams) => Promise<ListResult>) {}

  get selection(): Selection {
    return this.#selection;
  }
  /** The selection as a query; "" selects all. */
  get query(): string {
    return queryOf(this.#selection);
  }
  get items(): readonly TaskInfo[] {
    return this.#items;
  }
  get matched(): number {
    return this.#matched;
  }
  get total(): number {
    return this.#total;
  }
  get hasMore(): boolean {
    return this.#cursor !== undefined;
  }
  /** Whether the list has been read at all. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /**
   * Change the selection, without waiting for reads under earlier ones. Rejects and keeps the previous
   * one if the sidecar refuses it.
   */
  async select(selection: Selection): Promise<void> {
    const before = this.#selection;
    this.#selection = selection;
    this.#selections += 1;
    this.#turn = Promise.resolve();
    await this.#inTurn(async () => {
      try {
        await this.#read(PAGE);
      } catch (error) {
        if (this.#selection === selection) {
          this.#selection = before;
        }
        throw error;
      }
    });
  }

  /** Read all shown tasks again. */
  async reload(): Promise<void> {
    await this.#inTurn(() => this.#readAgain());
  }

  /** Whether `update` reads these tasks alone, rather than all. */
  isUpdatable(ids: ReadonlySet<string>): boolean {
    const isFew = ids.size > 0 && ids.size <= MOST_UPDATED;
    return isFew && ![...ids].some((id) => id.includes('"')) && this.#selection.sort !== "title";
  }

  /**
   * Read tasks again that may have changed, were added or are gone, by their ids; others stay the
   * same objects. Reads all if that is not enough to know the list.
   */
  async update(ids: ReadonlySet<string>): Promise<void> {
    await this.#inTurn(async () => {
      const { sort } = this.#selection;
      const isUpdated =
        this.#isRead && sort !== "title" && this.isUpdatable(ids) && (await this.#merge(ids, sort));
      if (!isUpdated) {
        await this.#readAgain();
      }
    });
  }

  /** Return whether the list is known to be right afterwards, or another selection is read. */
  async #merge(ids: ReadonlySet<string>, sort: NumericSort): Promise<boolean> {
    const selections = this.#selections;
    const [named, one] = await Promise.all([
      this.list(this.#page(MOST_AT_ONCE, undefined, namesOf(ids))),
      this.list(this.#page(1, undefined)),
    ]);
    if (selections !== this.#selections) {
      return true;
    }
    const found = named.items.filter(({ id }) => ids.has(id));
    const end = this.#cursor === undefined ? undefined : this.#end;
    const items = merged(this.#items, ids, reusing(this.#items, found), end, sort);
    const isShort = items.length < (this.hasMore ? PAGE : one.matched);
    const isLong = !this.hasMore && items.length > one.matched;
    if (named.nextCursor !== undefined || isShort || isLong) {
      return false;
    }
    this.#items = items;
    this.#matched = one.matched;
    this.#total = one.total;
    return true;
  }

  /** Read the next page; does nothing when there is none. */
  async loadMore(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#cursor !== undefined) {
        await this.#read(LATER_PAGE, this.#items, this.#cursor);
      }
    });
  }

  /** Begin when earlier reads have ended, unless another selection is read by then. */
  async #inTurn(read: () => Promise<void>): Promise<void> {
    const selections = this.#selections;
    const turn = this.#turn.then(() =>
      selections === this.#selections ? read() : Promise.resolve(),
    );
    this.#turn = turn.catch(() => undefined);
    await turn;
  }

  async #readAgain(): Promise<void> {
    await this.#read(Math.max(PAGE, this.#items.length));
  }

  async #read(count: number, before: readonly TaskInfo[] = [], after?: string): Promise<void> {
    const selections = this.#selections;
    const until = before.length + count;
    let items = before;
    let cursor = after;
    let result: ListResult;
    do {
      result = await this.list(this.#page(Math.min(until - items.length, MOST_AT_ONCE), cursor));
      items = [...items, ...result.items];
      cursor = result.nextCursor;
    } while (cursor !== undefined && items.length < until && selections === this.#selections);
    if (selections === this.#selections) {
      this.#items = before.length > 0 ? items : reusing(this.#items, items);
      this.#matched = result.matched;
      this.#total = result.total;
      this.#cursor = cursor;
      this.#end = items.at(-1);
      this.#isRead = true;
    }
  }

  #page(limit: number, cursor: string | undefined, names = ""): ListParams {
    const query = both(this.query, names);
    return {
      limit,
      ...(cursor === undefined ? {} : { cursor }),
      ...(query === "" ? {} : { query }),
      sort: SORT_BY[this.#selection.sort],
    };
  }
}

/** Return the query for a selection; "" selects all. */
export function queryOf({ filter, folders }: Pick<Selection, "filter" | "folders">): string {
  const named = folders?.filter((folder) => !folder.includes('"')) ?? [];
  const places = named.map((folder) => `workspace:"${folder}"`).join(" OR ");
  return both(filter, places);
}

function both(...queries: readonly string[]): string {
  const parts = queries.filter((part) => part !== "");
  return parts.length < 2 ? parts.join("") : parts.map((part) => `(${part})`).join(" ");
}

/** Return a query for the tasks with these ids. */
function namesOf(ids: Iterable<string>): string {
  return [...ids].map((id) => `id:"${id}"`).join(" OR ");
}
