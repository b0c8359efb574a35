import { merged } from "./mergedTasks.js";
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

/** More tasks than this are read again with all others. */
const MOST_UPDATED = 50;

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
  /** Counts reads, so that the answer to an older one is ignored. */
  #reads = 0;

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

  /** Change the selection. Rejects and keeps the previous one if the sidecar refuses it. */
  async select(selection: Selection): Promise<void> {
    const before = this.#selection;
    this.#selection = selection;
    try {
      await this.#read(PAGE);
    } catch (error) {
      if (this.#selection === selection) {
        this.#selection = before;
      }
      throw error;
    }
  }

  /** Read all shown tasks again. */
  async reload(): Promise<void> {
    await this.#read(Math.max(PAGE, this.#items.length));
  }

  /**
   * Read tasks again that may have changed, were added or are gone, by their ids; others stay the
   * same objects. Reads all if that is not enough to know the list.
   */
  async update(ids: readonly string[]): Promise<void> {
    const { sort } = this.#selection;
    const isFew =
      ids.length > 0 && ids.length <= MOST_UPDATED && !ids.some((id) => id.includes('"'));
    if (!this.#isRead || sort !== "recent" || !isFew || !(await this.#merge(new Set(ids)))) {
      await this.reload();
    }
  }

  /** Return whether the list is known to be right afterwards, or another read is under way. */
  async #merge(ids: ReadonlySet<string>): Promise<boolean> {
    this.#reads += 1;
    const read = this.#reads;
    const [named, one] = await Promise.all([
      this.list(this.#page(MOST_AT_ONCE, undefined, namesOf(ids))),
      this.list(this.#page(1, undefined)),
    ]);
    if (read !== this.#reads) {
      return true;
    }
    const found = named.items.filter(({ id }) => ids.has(id));
    const items = merged(
      this.#items,
      ids,
      found,
      this.#cursor === undefined ? undefined : this.#end,
    );
    if (named.nextCursor !== undefined || (!this.hasMore && items.length !== one.matched)) {
      return false;
    }
    this.#items = items;
    this.#matched = one.matched;
    this.#total = one.total;
    return true;
  }

  /** Read the next page; does nothing when there is none. */
  async loadMore(): Promise<void> {
    if (this.#cursor !== undefined) {
      await this.#read(LATER_PAGE, this.#items, this.#cursor);
    }
  }

  async #read(count: number, before: readonly TaskInfo[] = [], after?: string): Promise<void> {
    this.#reads += 1;
    const read = this.#reads;
    const until = before.length + count;
    let items = before;
    let cursor = after;
    let result: ListResult;
    do {
      result = await this.list(this.#page(Math.min(until - items.length, MOST_AT_ONCE), cursor));
      items = [...items, ...result.items];
      cursor = result.nextCursor;
    } while (cursor !== undefined && items.length < until && read === this.#reads);
    if (read === this.#reads) {
      this.#items = items;
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

/** Return a query for tasks whose ids begin so. */
function namesOf(ids: Iterable<string>): string {
  return [...ids].map((id) => `id:"${id}"`).join(" OR ");
}
