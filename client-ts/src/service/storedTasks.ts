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
      this.#isRead = true;
    }
  }

  #page(limit: number, cursor: string | undefined): ListParams {
    const { query } = this;
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
  const parts = [filter, places].filter((part) => part !== "");
  return parts.length < 2 ? parts.join("") : parts.map((part) => `(${part})`).join(" ");
}
